// Blocks of arrays as `clast.output.viewer.packed` writes them.

export type Numbers = Float32Array | Uint32Array | Int8Array | Uint8Array;

interface Facts {
  kind: "steps" | "halves" | "float32" | "uint32" | "int8" | "uint8";
  shape: number[];
  bytes: number;
  unit?: number;
  order?: number;
  planes?: number;
}

export interface Block {
  head: Record<string, unknown>;
  arrays: Map<string, Numbers>;
  shapes: Map<string, number[]>;
}

let halves: Float32Array | null = null;

/** Value of every number of half precision by its 16 bits. */
function halfTable(): Float32Array {
  if (halves) return halves;
  halves = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits++) {
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
    halves[bits] = bits & 32768 ? -size : size;
  }
  return halves;
}

export async function inflate(packed: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Head and arrays of a block. */
export async function unpack(packed: Uint8Array): Promise<Block> {
  const whole = await inflate(packed);
  const length = new DataView(whole.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(whole.subarray(4, 4 + length)));
  const block: Block = { head, arrays: new Map(), shapes: new Map() };
  let at = 4 + length;
  for (const [name, facts] of Object.entries(head.arrays as Record<string, Facts>)) {
    block.arrays.set(name, numbers(facts, whole.slice(at, at + facts.bytes)));
    block.shapes.set(name, facts.shape);
    at += facts.bytes;
  }
  return block;
}

function numbers(facts: Facts, bytes: Uint8Array): Numbers {
  switch (facts.kind) {
    case "float32":
      return new Float32Array(bytes.buffer);
    case "uint32":
      return new Uint32Array(bytes.buffer);
    case "int8":
      return new Int8Array(bytes.buffer);
    case "uint8":
      return bytes;
    case "halves":
      return fromHalves(bytes, facts.unit!);
    default:
      return fromSteps(facts, bytes);
  }
}

function fromHalves(bytes: Uint8Array, unit: number): Float32Array {
  const table = halfTable();
  const count = bytes.length / 2;
  const values = new Float32Array(count);
  for (let k = 0; k < count; k++) values[k] = table[bytes[k] | (bytes[count + k] << 8)] * unit;
  return values;
}

function fromSteps(facts: Facts, bytes: Uint8Array): Float32Array {
  const planes = facts.planes!;
  const count = bytes.length / planes;
  const whole = new Int32Array(count);
  for (let k = 0; k < count; k++) {
    let unsigned = 0;
    for (let p = planes - 1; p >= 0; p--) unsigned = unsigned * 256 + bytes[p * count + k];
    whole[k] = unsigned % 2 ? -(unsigned + 1) / 2 : unsigned / 2;
  }
  const rows = facts.shape[0];
  const width = rows ? count / rows : 0;
  for (let order = 0; order < facts.order!; order++) {
    for (let k = width; k < count; k++) whole[k] += whole[k - width];
  }
  const values = new Float32Array(count);
  for (let k = 0; k < count; k++) values[k] = whole[k] * facts.unit!;
  return values;
}
