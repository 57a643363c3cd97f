import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What a document may refer to. */
export interface World {
  /** Whether a file or folder with this path exists, relative to the repository. */
  readonly exists: (path: string) => boolean;
  /** Whether a file of any folder has this name. */
  readonly hasFile: (name: string) => boolean;
  /** Scripts of package.json. */
  readonly scripts: ReadonlySet<string>;
  /** The output of `dhara --help`. */
  readonly help: string;
  /** Environment variables that something reads, and that a shell line may set. */
  readonly variables: ReadonlySet<string>;
  /** Whether the code has this name in capitals: a setting, error code, ledger account or type of posting. */
  readonly isKnownName: (name: string) => boolean;
  /** The text of a document, for the headings that links lead to. */
  readonly read: (path: string) => string;
}

const LINK = /!?\[[^\]]*\]\(([^)\s]+)\)|<img[^>]*\ssrc="([^"]+)"/g;
/** A path from the top of the repository. The lookahead detects patterns, such as `src/domain/*`. */
const PATH = /(?<![\w/.-])(?:src|test|docs|deploy|\.ci|\.github)\/[\w./@-]*[\w/](?=([*…<{])?)/g;
/** A file of code by its name alone, such as `ladder.ts` beside a path that was named before. */
const FILE = /(?<!`)`([\w.-]+\.(?:ts|tsx|mjs|cjs))`/g;
const NPM_RUN = /\bnpm run ([\w:-]+)/g;
/** `create database dhara owner …` is SQL. */
const DHARA = /(?<!database )(?:\bdhara|npm start --) ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?([^\n|`]*)/g;
const ASSIGNED = /(?:^|\s)([A-Z][A-Z0-9_]+)=/gm;
const NAME = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;

/** All broken references in a document, as lines for the person who fixes it. */
export function brokenReferences(path: string, text: string, world: World): string[] {
  const code = codeOf(text);
  const broken = [
    ...links(text).flatMap((target) => brokenLink(path, target, world)),
    ...[...text.matchAll(PATH)].flatMap((match) => brokenPath(match, world)),
    ...[...text.matchAll(FILE)].flatMap(([, name = '']) =>
      world.hasFile(name) ? [] : [`${name}: no file has this name`],
    ),
    ...[...code.matchAll(NPM_RUN)].flatMap(([, script = '']) =>
      world.scripts.has(script) ? [] : [`npm run ${script}: no such script`],
    ),
    ...[...code.matchAll(DHARA)].flatMap((match) => brokenCommand(match, world.help)),
    ...[...code.matchAll(ASSIGNED)].flatMap(([, name = '']) =>
      world.variables.has(name) ? [] : [`${name}=: nothing reads this variable`],
    ),
    ...[...code.matchAll(NAME)].flatMap(([name]) =>
      world.isKnownName(name) ? [] : [`${name}: the code has no such name`],
    ),
  ];
  return [...new Set(broken)];
}

function links(text: string): string[] {
  return [...text.matchAll(LINK)]
    .map(([, link, image]) => link ?? image ?? '')
    .filter((target) => !/^\w+:/.test(target));
}

function brokenLink(path: string, target: string, { exists, read }: World): string[] {
  const [file = '', anchor] = target.split('#');
  const to = file === '' ? path : normalize(join(dirname(path), file)).replace(/\/$/, '');
  if (!exists(to)) return [`${target}: no such file`];
  if (anchor === undefined || !to.endsWith('.md')) return [];
  return headings(read(to)).includes(anchor) ? [] : [`${target}: no such heading`];
}

function brokenPath([path, follows]: RegExpMatchArray, { exists }: World): string[] {
  const whole = path.replace(/\/$/, '');
  const wanted = follows !== undefined && !path.endsWith('/') ? dirname(whole) : whole;
  return exists(wanted) ? [] : [`${path}: no such file`];
}

function brokenCommand([, noun = '', verb, rest = '']: RegExpMatchArray, help: string): string[] {
  const commands = [...help.matchAll(/^  ([a-z-]+)(?: ([a-z-]+))?/gm)].map(([, ...words]) => words);
  const ofNoun = commands.filter(([first]) => first === noun);
  if (ofNoun.length === 0) return [`dhara ${noun}: no such command`];
  const isKnown = verb === undefined || ofNoun.some(([, second]) => second === verb || second === undefined);
  if (!isKnown) return [`dhara ${noun} ${verb}: no such command`];
  const options = rest.match(/--[a-z-]+/g) ?? [];
  return options.filter((option) => !help.includes(option)).map((option) => `dhara ${noun} ${option}: no such option`);
}

/** All inline code and code blocks. */
function codeOf(text: string): string {
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  const spans = [...text.replaceAll(/^```\w*\n[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, span = '']) => span,
  );
  return [...blocks, ...spans].join('\n');
}

/** The anchors of a document's headings, as code hosts create them. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Reads documents from a folder. */
export function reader(root: string): (path: string) => string {
  return (path) => readFileSync(join(root, path), 'utf8');
}
