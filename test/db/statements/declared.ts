import { join, relative } from 'node:path';

import {
  type CallExpression,
  type Expression,
  isArrowFunction,
  isCallExpression,
  isFunctionDeclaration,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
  isVariableDeclaration,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import {
  API,
  type Checker,
  type Project,
  SymbolFlags,
  type Type,
  TypeFlags,
  type TypeReference,
} from 'typescript/unstable/sync';

import { SRC } from '../../support/statements/recorded.js';

/** What a value of a type can be. */
export type Kind = 'any' | 'bigint' | 'boolean' | 'Buffer' | 'Date' | 'number' | 'object' | 'string';

export interface DeclaredType {
  /** As it is written in messages. */
  readonly text: string;
  readonly isNullable: boolean;
  /** Besides null. */
  readonly kinds: readonly Kind[];
  /** If it can be an array: of what. */
  readonly elements: readonly DeclaredType[];
  /** If all of its texts are known: which. */
  readonly literals: readonly string[] | null;
}

export interface DeclaredProperty extends DeclaredType {
  readonly isOptional: boolean;
}

/** One place in the code that makes statements: a call of `statement`, or of a function that calls it. */
export interface Site {
  /** In `src`. */
  readonly file: string;
  readonly line: number;
  /** The statement's name, or how it begins and ends; `null` if the name is a variable. */
  readonly name: string | RegExp | null;
  /** Its types depend on the caller of the function around it. */
  readonly isOpen: boolean;
  /** The function around it that is called in this file, whose calls are separate sites. */
  readonly factory: string | null;
  readonly params: ReadonlyMap<string, DeclaredProperty>;
  readonly row: ReadonlyMap<string, DeclaredProperty>;
}

/** Asks the compiler for the types of all statements. @param files by the `tsconfig.json` that they belong to */
export function declaredStatements(files: Readonly<Record<string, readonly string[]>>): Site[] {
  const api = new API({ cwd: join(SRC, '..') });
  try {
    const snapshot = api.updateSnapshot({ openProjects: Object.keys(files) });
    return Object.entries(files).flatMap(([config, paths]) => {
      const project = snapshot.getProject(config);
      if (!project) throw new Error(`the compiler does not know ${config}`);
      const types = new Types(project.checker);
      return paths.flatMap((path) => sitesOf(project, types, path));
    });
  } finally {
    api.close();
  }
}

interface Call {
  readonly node: CallExpression;
  readonly callee: string;
  /** Names of the functions around it, innermost first. */
  readonly inside: readonly string[];
}

function sitesOf(project: Project, types: Types, path: string): Site[] {
  const source = project.program.getSourceFile(path);
  if (!source) throw new Error(`${path} is not part of the program`);
  const calls = callsIn(source);
  const factories = new Set(calls.filter(({ callee }) => callee === 'statement').flatMap(({ inside }) => inside));
  const wanted = calls.filter(({ callee }) => callee === 'statement' || factories.has(callee));
  const found = project.checker.getTypeAtLocation(wanted.map(({ node }) => node));
  return wanted.flatMap(({ node, callee, inside }, nth) => {
    const type = found[nth];
    if (type?.getSymbol()?.name !== 'TypedStatement') return [];
    const [params, row] = project.checker.getTypeArguments(type as TypeReference) as [Type, Type];
    const isStatement = callee === 'statement';
    return {
      file: relative(SRC, path),
      line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
      name: isStatement ? nameOf(node.arguments[0]) : nameAmong(node.arguments),
      isOpen: [params, row].some(({ flags }) => (flags & TypeFlags.TypeParameter) !== 0),
      factory: inside.find((name) => calls.some((call) => call.callee === name)) ?? null,
      params: types.propertiesOf(params),
      row: types.propertiesOf(row),
    };
  });
}

function callsIn(source: SourceFile): Call[] {
  const calls: Call[] = [];
  const visit = (node: Node, inside: readonly string[]): void => {
    if (isCallExpression(node) && isIdentifier(node.expression)) {
      calls.push({ node, callee: node.expression.text, inside });
    }
    const name = functionNameOf(node);
    const around = name === null ? inside : [name, ...inside];
    node.forEachChild((child) => visit(child, around));
  };
  visit(source, []);
  return calls;
}

function functionNameOf(node: Node): string | null {
  if (isFunctionDeclaration(node)) return node.name?.text ?? null;
  if (isVariableDeclaration(node) && isIdentifier(node.name) && node.initializer && isArrowFunction(node.initializer)) {
    return node.name.text;
  }
  if (isPropertyAssignment(node) && isIdentifier(node.name) && isArrowFunction(node.initializer)) return node.name.text;
  return null;
}

function nameOf(node: Expression | undefined): string | RegExp | null {
  if (!node) return null;
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!isTemplateExpression(node)) return null;
  const parts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  return new RegExp(`^${parts.map((part) => escaped(part)).join('.*')}$`, 's');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** A function that makes statements takes the name as one of its arguments. */
function nameAmong(args: readonly Expression[]): string | null {
  const texts = args.map(nameOf).filter((text) => typeof text === 'string');
  return texts.find((text) => /^\w+(-\w+)+$/.test(text)) ?? null;
}

class Types {
  private readonly known = new Map<number, DeclaredType>();

  constructor(private readonly checker: Checker) {}

  propertiesOf(type: Type): ReadonlyMap<string, DeclaredProperty> {
    const properties = this.checker.getPropertiesOfType(type);
    const found = this.checker.getTypeOfSymbol(properties);
    return new Map(
      properties.map(({ name, flags }, nth) => [
        name,
        { ...this.declared(found[nth]!), isOptional: (flags & SymbolFlags.Optional) !== 0 },
      ]),
    );
  }

  private declared(type: Type): DeclaredType {
    let known = this.known.get(type.id);
    if (!known) {
      known = this.describe(type);
      this.known.set(type.id, known);
    }
    return known;
  }

  private describe(type: Type): DeclaredType {
    const members = type.isUnionType() ? type.getTypes() : [type];
    const isNullable = members.some(({ flags }) => (flags & (TypeFlags.Null | TypeFlags.Undefined)) !== 0);
    const others = members.filter(({ flags }) => (flags & (TypeFlags.Null | TypeFlags.Undefined)) === 0);
    const arrays = others.filter((member) => this.checker.isArrayType(member));
    const texts = others.filter(({ flags }) => (flags & TypeFlags.StringLike) !== 0);
    return {
      text: this.checker.typeToString(type),
      isNullable,
      kinds: [...new Set(others.filter((member) => !arrays.includes(member)).map((member) => kindOf(member)))],
      elements: arrays.map((member) => this.declared(this.checker.getTypeArguments(member as TypeReference)[0]!)),
      literals:
        texts.length > 0 && texts.every((member) => member.isStringLiteralType())
          ? texts.map((member) => String((member as { value?: unknown }).value)).toSorted()
          : null,
    };
  }
}

function kindOf(type: Type): Kind {
  const has = (flags: TypeFlags): boolean => (type.flags & flags) !== 0;
  if (has(TypeFlags.AnyOrUnknown)) return 'any';
  if (has(TypeFlags.StringLike)) return 'string';
  if (has(TypeFlags.NumberLike)) return 'number';
  if (has(TypeFlags.BigIntLike)) return 'bigint';
  if (has(TypeFlags.BooleanLike)) return 'boolean';
  const name = type.getSymbol()?.name;
  if (name === 'Date') return 'Date';
  return name === 'Buffer' || name === 'Uint8Array' ? 'Buffer' : 'object';
}
