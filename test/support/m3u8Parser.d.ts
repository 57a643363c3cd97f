/** The parts that tests use of a package without types. */
declare module 'm3u8-parser' {
  export class Parser {
    readonly manifest: unknown;
    push(text: string): void;
    end(): void;
  }
}
