// The functions that only the module of enginewire/godot-files has; types are checked with that of enginewire.

export {};

declare module "../build/glue/enginewire_web.js" {
  export function file_open(file: Uint8Array, asked: string, options: string): number;
  export function file_about(file: number): string;
  export function file_values(file: number): number;
  export function file_changed(file: number, addresses: string[], lengths: Uint32Array, bytes: Uint8Array): Uint8Array;
  export function file_free(file: number): void;
}
