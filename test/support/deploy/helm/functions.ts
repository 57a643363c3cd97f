import { dump } from 'js-yaml';

/** Functions of helm that the chart uses. Any other name is refused. */
export const FUNCTIONS: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
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
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
