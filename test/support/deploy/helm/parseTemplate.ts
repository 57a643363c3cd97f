/** A node of a template: text, or an action with the templates inside it. */
export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly expression: string }
  | { readonly kind: 'define'; readonly name: string; readonly body: Node[] }
  | {
      readonly kind: 'range' | 'with' | 'if';
      readonly expression: string;
      readonly body: Node[];
      readonly otherwise: Node[];
    };

type Token = { readonly text: string } | { readonly action: string };

/** Parses the part of Go's template language that the chart uses. */
export function parseTemplate(source: string): Node[] {
  const tokens = tokenize(source);
  let at = 0;
  const { nodes, end } = block();
  if (end !== null) throw new Error(`{{ ${end} }} closes nothing`);
  return nodes;

  function block(): { nodes: Node[]; end: string | null } {
    const nodes: Node[] = [];
    while (at < tokens.length) {
      const token = tokens[at]!;
      at += 1;
      if ('text' in token) {
        nodes.push({ kind: 'text', text: token.text });
        continue;
      }
      if (token.action.startsWith('/*')) continue;
      const [, word = '', rest = ''] = /^(\S+)\s*([^]*)$/.exec(token.action) ?? [];
      if (word === 'end' || word === 'else') return { nodes, end: token.action };
      if (word === 'define') nodes.push({ kind: 'define', name: JSON.parse(rest) as string, body: closed() });
      else if (word === 'if' || word === 'with' || word === 'range') nodes.push(branch(word, rest));
      else nodes.push({ kind: 'print', expression: token.action });
    }
    return { nodes, end: null };
  }

  function closed(): Node[] {
    const { nodes: body, end } = block();
    if (end !== 'end') throw new Error(`expected {{ end }}, found ${end ?? 'the end of the file'}`);
    return body;
  }

  function branch(kind: 'if' | 'with' | 'range', expression: string): Node {
    const { nodes: body, end } = block();
    if (end === 'end') return { kind, expression, body, otherwise: [] };
    if (end === 'else') return { kind, expression, body, otherwise: closed() };
    const [, elseIf] = /^else if\s+([^]*)$/.exec(end ?? '') ?? [];
    if (elseIf === undefined) throw new Error(`{{ ${kind} ${expression} }} is not closed`);
    return { kind, expression, body, otherwise: [branch('if', elseIf)] };
  }
}

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let trimsNext = false;
  for (const { 0: whole, 1: left, 2: action = '', 3: right, index } of source.matchAll(
    /\{\{(- )?\s*([^]*?)\s*( -)?\}\}/g,
  )) {
    push(source.slice(at, index), left !== undefined);
    tokens.push({ action });
    trimsNext = right !== undefined;
    at = index + whole.length;
  }
  push(source.slice(at), false);
  return tokens;

  function push(text: string, trimsEnd: boolean): void {
    let kept = trimsNext ? text.trimStart() : text;
    if (trimsEnd) kept = kept.trimEnd();
    tokens.push({ text: kept });
  }
}
