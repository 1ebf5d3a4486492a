// Pictures and movies of what is seen, made by the browser itself.

/** What `draw` paints, as a PNG file. */
export async function savePicture(source: HTMLCanvasElement, draw: (context: CanvasRenderingContext2D) => void, name: string): Promise<void> {
  const blob = await new Promise<Blob | null>((done) => composed(source, draw).toBlob(done, "image/png"));
  if (blob) download(blob, name);
}

export function composed(source: HTMLCanvasElement, draw: (context: CanvasRenderingContext2D) => void, into?: HTMLCanvasElement): HTMLCanvasElement {
  const canvas = into ?? document.createElement("canvas");
  if (canvas.width !== source.width || canvas.height !== source.height) {
    canvas.width = source.width;
    canvas.height = source.height;
  }
  const context = canvas.getContext("2d")!;
  context.drawImage(source, 0, 0);
  draw(context);
  return canvas;
}

export function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Records a canvas while it plays; `finish` gives the file. Null where the browser cannot. */
export class Movie {
  private recorder: MediaRecorder;
  private pieces: Blob[] = [];

  static possible(): boolean {
    return typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");
  }

  constructor(canvas: HTMLCanvasElement, rate: number) {
    this.recorder = new MediaRecorder(canvas.captureStream(rate), { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = (event) => this.pieces.push(event.data);
    this.recorder.start();
  }

  finish(): Promise<Blob> {
    return new Promise((done) => {
      this.recorder.onstop = () => done(new Blob(this.pieces, { type: "video/webm" }));
      this.recorder.stop();
    });
  }
}
