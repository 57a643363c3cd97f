import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { load, loadAll, dump } from 'js-yaml';

import { REPOSITORY } from '../units.js';
import { parseTemplate, type Node } from './parseTemplate.js';

const CHART = join(REPOSITORY, 'deploy/helm/dhara');
export const RELEASE = 'dhara';

type Fields = Record<string, unknown>;

export interface Manifest extends Fields {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
}

/**
 * Renders the chart. `changes` replace values by their paths, such as `worker.autoscaling.kind`.
 *
 * Stricter than helm: it refuses a value that does not exist.
 */
export async function renderChart(changes: Fields = {}): Promise<Manifest[]> {
  const values = load(await readFile(join(CHART, 'values.yaml'), 'utf8')) as Fields;
  for (const [path, value] of Object.entries(changes)) change(values, path.split('.'), value);
  const chart = load(await readFile(join(CHART, 'Chart.yaml'), 'utf8')) as Fields;
  const context = {
    Values: values,
    Chart: { Name: chart['name'], Version: chart['version'], AppVersion: chart['appVersion'] },
    Release: { Name: RELEASE, Service: 'Helm', Namespace: 'default' },
  };
  const folder = join(CHART, 'templates');
  const names = (await readdir(folder)).toSorted();
  const renderer = new Renderer(context);
  const manifests: Manifest[] = [];
  for (const name of names) {
    const text = renderer.file(await readFile(join(folder, name), 'utf8'));
    for (const document of loadAll(text)) if (document) manifests.push(document as Manifest);
  }
  return manifests;
}

function change(values: Fields, [name = '', ...rest]: string[], value: unknown): void {
  if (!(name in values)) throw new Error(`values.yaml has no ${name}`);
  if (rest.length === 0) values[name] = value;
  else change(values[name] as Fields, rest, value);
}

interface Scope {
  readonly dot: unknown;
  readonly variables: ReadonlyMap<string, unknown>;
}

class Renderer {
  private readonly defined = new Map<string, Node[]>();

  constructor(private readonly root: Fields) {}

  /** Files are rendered in the order of their names, so `_helpers.tpl` is the first. */
  file(source: string): string {
    return this.run(parseTemplate(source), this.scope(this.root));
  }

  /** In a template `$` is what it was given. */
  private scope(dot: unknown): Scope {
    return { dot, variables: new Map([['$', dot]]) };
  }

  private run(nodes: Node[], outer: Scope): string {
    let scope = outer;
    let text = '';
    for (const node of nodes) {
      if (node.kind === 'text') text += node.text;
      else if (node.kind === 'define') this.defined.set(node.name, node.body);
      else if (node.kind === 'print') {
        const [, name, expression] = /^(\$\w+)\s*:=\s*([^]+)$/.exec(node.expression) ?? [];
        if (name === undefined || expression === undefined) text += String(this.value(node.expression, scope));
        else scope = bind(scope, { [name]: this.value(expression, scope) });
      } else text += this.branch(node, scope);
    }
    return text;
  }

  private branch(node: Extract<Node, { otherwise: Node[] }>, scope: Scope): string {
    if (node.kind === 'range') return this.range(node, scope);
    const value = this.value(node.expression, scope);
    if (!isTrue(value)) return this.run(node.otherwise, scope);
    return this.run(node.body, node.kind === 'with' ? { ...scope, dot: value } : scope);
  }

  private range(node: Extract<Node, { otherwise: Node[] }>, scope: Scope): string {
    const [, first = '', second, expression = ''] =
      /^(\$\w+)(?:,\s*(\$\w+))?\s*:=\s*([^]+)$/.exec(node.expression) ?? [];
    if (expression === '') throw new Error(`range ${node.expression}: needs a variable`);
    const over = this.value(expression, scope);
    // Go visits the keys of a map in their order.
    const entries = Object.entries(over as object);
    if (!Array.isArray(over)) entries.sort(([left], [right]) => (left < right ? -1 : 1));
    return entries
      .map(([key, dot]) =>
        this.run(node.body, {
          ...bind(scope, second === undefined ? { [first]: dot } : { [first]: key, [second]: dot }),
          dot,
        }),
      )
      .join('');
  }

  /** A pipeline: each command gets the result before it as its last argument. */
  private value(expression: string, scope: Scope): unknown {
    const words = wordsOf(expression);
    let result: { value: unknown } | null = null;
    let command: string[] = [];
    for (const word of [...words, '|']) {
      if (word !== '|') {
        command.push(word);
        continue;
      }
      result = { value: this.command(command, result, scope) };
      command = [];
    }
    return result?.value;
  }

  private command([first = '', ...rest]: string[], piped: { value: unknown } | null, scope: Scope): unknown {
    if (!/^[a-zA-Z]/.test(first) || first === 'true' || first === 'false') {
      if (rest.length > 0 || piped) throw new Error(`${first} is no function`);
      return this.operand(first, scope);
    }
    const args = [...rest.map((word) => this.operand(word, scope)), ...(piped ? [piped.value] : [])];
    if (first === 'include') {
      const body = this.defined.get(String(args[0]));
      if (body === undefined) throw new Error(`no template is named ${String(args[0])}`);
      return this.run(body, this.scope(args[1]));
    }
    const call = FUNCTIONS[first];
    if (call === undefined) throw new Error(`${first}: this renderer does not know this function`);
    return call(...args);
  }

  private operand(word: string, scope: Scope): unknown {
    if (word.startsWith('(')) return this.value(word.slice(1, -1), scope);
    if (/^["\d]|^(true|false)$/.test(word)) return JSON.parse(word);
    if (word === '.') return scope.dot;
    const [start = '', ...fields] = word.split('.');
    let value: unknown = start === '' ? scope.dot : scope.variables.get(start);
    if (start !== '' && !scope.variables.has(start)) throw new Error(`${start} is not set`);
    for (const field of fields) {
      if (typeof value !== 'object' || value === null || !(field in value)) throw new Error(`${word}: no such value`);
      value = (value as Fields)[field];
    }
    return value;
  }
}

function bind(scope: Scope, variables: Fields): Scope {
  return { ...scope, variables: new Map([...scope.variables, ...Object.entries(variables)]) };
}

/** Words, quoted texts, and whole parentheses. */
function wordsOf(expression: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < expression.length) {
    const rest = expression.slice(at);
    const [word = ''] = /^\s+|^"(?:[^"\\]|\\.)*"|^\||^[^\s()|]+/.exec(rest) ?? [parenthesis(rest)];
    if (word.trim() !== '') words.push(word);
    at += word.length;
  }
  return words;
}

function parenthesis(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return text.slice(0, at + 1);
  }
  throw new Error(`${text}: a parenthesis is not closed`);
}

/** Functions of helm that the chart uses. Any other name is refused. */
const FUNCTIONS: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  and: (...args) => args.find((arg) => !isTrue(arg)) ?? args.at(-1),
  dict: (...args) => Object.fromEntries(args.flatMap((key, at) => (at % 2 === 0 ? [[String(key), args[at + 1]]] : []))),
  eq: (left, right) => left === right,
  fail: (message) => {
    throw new Error(String(message));
  },
  list: (...args) => args,
  ne: (left, right) => left !== right,
  nindent: (spaces, text) => `\n${String(text).replace(/^(?=.)/gm, ' '.repeat(Number(spaces)))}`,
  not: (arg) => !isTrue(arg),
  printf: (format, ...args) => args.reduce<string>((text, arg) => text.replace('%s', String(arg)), String(format)),
  quote: (arg) => JSON.stringify(String(arg)),
  required: (message, arg) => {
    if (arg === undefined || arg === '') throw new Error(String(message));
    return arg;
  },
  toYaml: (arg) => dump(arg).trimEnd(),
};

/** What Go's templates take for true: nothing that is empty. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
