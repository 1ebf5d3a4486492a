// Shaders: bodies read their place, turn and colour from textures, by their number.

import { DataTexture, DoubleSide, FloatType, GLSL3, NearestFilter, RGBAFormat, ShaderMaterial, UnsignedByteType, Vector3, Vector4 } from "three";

export const WIDTH = 1024; // texels of a row of the textures

/** What all materials share; changed in place. */
export interface Shared {
  state: { value: DataTexture };
  tint: { value: DataTexture };
  period: { value: Vector3 }; // 0: open
  origin: { value: Vector3 }; // lower corner of the box, relative to the centre of the scene
  images: { value: Vector3 }; // which image is drawn now
  clip: { value: Vector4 }; // what lies beyond this plane is cut off
  ink: { value: number }; // how dark borders are
  plane: { value: Vector3 }; // 1 where parts outside of the box are cut off
}

export function texture(count: number, float: boolean): DataTexture {
  const height = Math.max(1, Math.ceil(count / WIDTH));
  const data = float ? new Float32Array(4 * WIDTH * height) : new Uint8Array(4 * WIDTH * height);
  const made = new DataTexture(data, WIDTH, height, RGBAFormat, float ? FloatType : UnsignedByteType);
  made.minFilter = made.magFilter = NearestFilter;
  made.needsUpdate = true;
  return made;
}

const PLACE = /* glsl */ `
precision highp float;
precision highp sampler2D;
uniform sampler2D state;
uniform sampler2D tint;
uniform vec3 period;
uniform vec3 images;
uniform vec3 origin;
in float body;
ivec2 texel(int k) { return ivec2(k % ${WIDTH}, k / ${WIDTH}); }
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec4 place() { return texelFetch(state, texel(2 * int(body)), 0); }
vec4 turn() { return texelFetch(state, texel(2 * int(body) + 1), 0); }
`;

const SOLID_VERTEX = /* glsl */ `
${PLACE}
in vec3 side;
out vec3 colour;
out vec3 there;
out vec3 across;
out vec3 eye;
void main() {
  vec4 at = place();
  vec4 q = turn();
  if (FLAT) { // about z alone
    float c = q.w * q.w - q.z * q.z;
    float s = 2.0 * q.z * q.w;
    there = vec3(at.xy + vec2(c * position.x - s * position.y, s * position.x + c * position.y) + images.xy * period.xy, 0.0);
    across = side;
  } else {
    there = at.xyz + turned(q, position) + images * period;
    across = turned(q, side);
  }
  colour = texelFetch(tint, texel(int(body)), 0).rgb;
  vec4 seen = modelViewMatrix * vec4(there, 1.0);
  eye = seen.xyz;
  gl_Position = at.w > 0.5 ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * seen;
}`;

const SOLID_FRAGMENT = /* glsl */ `
precision highp float;
in vec3 colour;
in vec3 there;
in vec3 across;
in vec3 eye;
out vec4 seen;
uniform vec4 clip;
uniform vec3 plane;
uniform vec3 period;
uniform vec3 origin;
uniform float opacity;
uniform float ink;
void main() {
  if (CLIPPED && dot(clip.xyz, there) > clip.w) discard;
  if (FLAT) {
    vec3 off = there - origin;
    if (any(greaterThan(plane * (abs(off - 0.5 * period) - 0.5 * period), vec3(0.0)))) discard;
    seen = vec4(mix(colour * ink, colour, across.x), opacity);
    return;
  }
  if (!gl_FrontFacing && CLIPPED && opacity > 0.99) {
    seen = vec4(colour * 0.62, 1.0);
    return;
  }
  vec3 normal = normalize(mat3(viewMatrix) * across) * (gl_FrontFacing ? 1.0 : -1.0);
  vec3 light = normalize(vec3(-0.35, 0.75, 0.62));
  float bright = 0.44 + 0.16 * normal.y + 0.52 * max(dot(normal, light), 0.0);
  vec3 half_way = normalize(light + normalize(-eye));
  float shine = 0.16 * pow(max(dot(normal, half_way), 0.0), 36.0);
  seen = vec4(colour * bright + shine, opacity);
}`;

const LINE_VERTEX = /* glsl */ `
${PLACE}
out vec3 colour;
out vec3 there;
uniform vec3 paint;
void main() {
  vec4 at = place();
  there = at.xyz + turned(turn(), position) + images * period;
  colour = paint;
  gl_Position = at.w > 0.5 ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * modelViewMatrix * vec4(there, 1.0);
}`;

const LINE_FRAGMENT = /* glsl */ `
precision highp float;
in vec3 colour;
in vec3 there;
out vec4 seen;
uniform vec4 clip;
void main() {
  if (CLIPPED && dot(clip.xyz, there) > clip.w) discard;
  seen = vec4(colour, 1.0);
}`;

const FORCE_VERTEX = /* glsl */ `
precision highp float;
in vec4 begin;
in vec3 end;
out vec2 at;
out vec3 there;
uniform vec3 period;
uniform vec3 images;
void main() {
  vec3 shift = images * period;
  vec4 a = modelViewMatrix * vec4(begin.xyz + shift, 1.0);
  vec4 b = modelViewMatrix * vec4(end + shift, 1.0);
  vec2 along = b.xy - a.xy;
  float size = length(along);
  along = size > 1e-9 ? along / size : vec2(1.0, 0.0);
  vec2 across = vec2(-along.y, along.x);
  at = position.xy;
  vec4 middle = position.x < 0.0 ? a : b;
  there = position.x < 0.0 ? begin.xyz : end;
  middle.xy += begin.w * (across * position.y + ROUND * along * position.x);
  gl_Position = projectionMatrix * middle;
}`;

const FORCE_FRAGMENT = /* glsl */ `
precision highp float;
in vec2 at;
in vec3 there;
out vec4 seen;
uniform vec3 paint;
uniform vec4 clip;
void main() {
  if (CLIPPED && dot(clip.xyz, there) > clip.w) discard;
  if (ROUND > 0.5 && dot(at, at) > 1.0) discard;
  seen = vec4(paint * (ROUND > 0.5 ? 1.0 : mix(0.75, 1.12, sqrt(max(0.0, 1.0 - at.y * at.y)))), 1.0);
}`;

/** Material of bodies. */
export function solidMaterial(shared: Shared, flat: boolean): ShaderMaterial {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: SOLID_VERTEX,
    fragmentShader: SOLID_FRAGMENT,
    uniforms: { ...shared, opacity: { value: 1 } },
    defines: { FLAT: String(flat), CLIPPED: "false" },
    side: DoubleSide,
  });
}

export function lineMaterial(shared: Shared): ShaderMaterial {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: LINE_VERTEX,
    fragmentShader: LINE_FRAGMENT,
    uniforms: { ...shared, paint: { value: new Vector3(0.5, 0.5, 0.5) } },
    defines: { CLIPPED: "false" },
  });
}

/** Material of lines as thick as their force, or of round points. */
export function forceMaterial(shared: Shared, round: boolean, paint: Vector3): ShaderMaterial {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: FORCE_VERTEX,
    fragmentShader: FORCE_FRAGMENT,
    uniforms: { ...shared, paint: { value: paint } },
    defines: { ROUND: round ? "1.0" : "0.0", CLIPPED: "false" },
    side: DoubleSide,
  });
}
