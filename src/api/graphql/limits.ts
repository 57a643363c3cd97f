import {
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';

import { VIDEO_LIMITS } from '../../domain/media/library/videoInput.js';
import { tooComplex } from './documentLimits.js';

/**
 * Limits on one operation. The dashboard's largest page has a complexity of 3,600, Home has as many root fields as are
 * allowed, and no page has more than a third of any other limit.
 *
 * Complexity: a field costs 1, and a list's content counts once per item: `first` items of a connection,
 * `ITEMS_PER_LIST` of any other list. Each unit takes about four microseconds, and no operation more than 20 ms. Mutations
 * of many things, one transaction each, cost `PER_ID` for each of them, so an operation has one full batch.
 *
 * Introspection visits every type. It is allowed once, without an alias, and not from a type's fields to the fields of
 * their types.
 */
export const QUERY_LIMITS = {
  depth: 10,
  aliases: 20,
  rootFields: 10,
  directives: 10,
  complexity: 4_000,
  introspection: 1,
  introspectionDepth: 1,
} as const;

const INTROSPECTION_LISTS: ReadonlySet<string> = new Set([
  'fields',
  'inputFields',
  'interfaces',
  'possibleTypes',
  'enumValues',
]);

const ITEMS_PER_LIST = 6;
const MAX_FIRST = 100;
const PER_ID = 25;
/** Lists whose input decides how long they are. The longest series has 744 hours. */
const LONG_LISTS: ReadonlyMap<string, number> = new Map([
  ['Analytics.series', 200],
  ['Analytics.breakdown', 100],
  ['Query.topVideos', 100],
  ['Query.platformTotals', 200],
  ['SupportAccount.notes', 100],
]);

type Measure = { -readonly [Limit in keyof typeof QUERY_LIMITS]: number };

/**
 * @returns its complexity
 * @throws GraphQLError QUERY_TOO_COMPLEX (HTTP 400) that names the limit and what was asked for
 */
export function assertWithinLimits(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const measured = measure(schema, document, operation, variables);
  for (const limit of Object.keys(QUERY_LIMITS) as (keyof Measure)[]) {
    if (measured[limit] > QUERY_LIMITS[limit]) throw tooComplex(limit, QUERY_LIMITS[limit], measured[limit]);
  }
  return measured.complexity;
}

/**
 * Measures each fragment once, however often it is used: a chain of fragments that doubles at every step has huge sums,
 * but is measured in linear time. Expects a validated document, without cycles.
 */
function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Measure {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const known = new Map<string, Measure>();

  const ofFragment = (name: string): Measure => {
    const fragment = fragments.get(name);
    let measured = known.get(name);
    if (measured === undefined && fragment !== undefined) {
      measured = ofSelections(fragment.selectionSet, objectType(schema, fragment.typeCondition.name.value));
      measured.directives += fragment.directives?.length ?? 0;
      known.set(name, measured);
    }
    return measured ?? empty();
  };

  const ofSelections = (set: SelectionSetNode | undefined, type: GraphQLObjectType | null): Measure => {
    const sum = empty();
    for (const selection of set?.selections ?? []) {
      sum.directives += selection.directives?.length ?? 0;
      if (selection.kind === Kind.FIELD) {
        add(sum, ofField(selection, type));
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const on = selection.typeCondition?.name.value;
        add(sum, ofSelections(selection.selectionSet, on === undefined ? type : objectType(schema, on)));
      } else {
        add(sum, ofFragment(selection.name.value));
      }
    }
    return sum;
  };

  const ofField = (node: FieldNode, parent: GraphQLObjectType | null): Measure => {
    const aliases = node.alias === undefined ? 0 : 1;
    if (node.name.value === '__typename') return { ...empty(), aliases, rootFields: 1 };
    // Below this, GraphQL's own types follow; the schema does not list them by their fields.
    if (node.name.value.startsWith('__')) return ofIntrospection(node.selectionSet, aliases);
    const field = parent?.getFields()[node.name.value];
    const named = field === undefined ? null : getNamedType(field.type);
    const below = ofSelections(node.selectionSet, isObjectType(named) ? named : null);
    const items = field && parent ? itemsOf(node, field, variables, `${parent.name}.${field.name}`) : 1;
    return {
      ...empty(),
      depth: 1 + below.depth,
      aliases: aliases + below.aliases,
      introspection: below.introspection,
      introspectionDepth: below.introspectionDepth,
      rootFields: 1,
      directives: below.directives,
      complexity: 1 + below.complexity * items + (field ? idsIn(node, field, variables) * PER_ID : 0),
    };
  };

  const ofIntrospection = (set: SelectionSetNode | undefined, aliases: number): Measure => {
    let [names, lists] = [aliases, 0];
    const walked = new Set<string>();
    const walk = (selections: SelectionSetNode | undefined, above: number): void => {
      lists = Math.max(lists, above);
      for (const selection of selections?.selections ?? []) {
        if (selection.kind === Kind.FRAGMENT_SPREAD) {
          const name = selection.name.value;
          if (!walked.has(`${name} ${above}`)) walk(fragments.get(name)?.selectionSet, above);
          walked.add(`${name} ${above}`);
          continue;
        }
        const isList = selection.kind === Kind.FIELD && INTROSPECTION_LISTS.has(selection.name.value);
        if (selection.kind === Kind.FIELD && selection.alias) names += 1;
        // Deeper than one level is refused anyway.
        if (above <= 1) walk(selection.selectionSet, above + (isList ? 1 : 0));
      }
    };
    walk(set, 0);
    return { ...empty(), aliases, rootFields: 1, introspection: 1 + names, introspectionDepth: lists };
  };

  const root = schema.getRootType(operation.operation) ?? null;
  const measured = ofSelections(operation.selectionSet, root);
  measured.directives += operation.directives?.length ?? 0;
  return measured;
}

function empty(): Measure {
  return {
    depth: 0,
    aliases: 0,
    rootFields: 0,
    directives: 0,
    complexity: 0,
    introspection: 0,
    introspectionDepth: 0,
  };
}

/** Combines siblings: the greatest depth counts, everything else adds up. */
function add(sum: Measure, more: Measure): void {
  const depth = Math.max(sum.depth, more.depth);
  const introspectionDepth = Math.max(sum.introspectionDepth, more.introspectionDepth);
  for (const key of Object.keys(sum) as (keyof Measure)[]) sum[key] += more[key];
  Object.assign(sum, { depth, introspectionDepth });
}

function objectType(schema: GraphQLSchema, name: string): GraphQLObjectType | null {
  const type = schema.getType(name);
  return isObjectType(type) ? type : null;
}

/** How often a field's content may appear. The edges of a connection are counted at the connection. */
function itemsOf(
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  variables: Readonly<Record<string, unknown>>,
  coordinate: string,
): number {
  const first = field.args.find((arg) => arg.name === 'first');
  if (first !== undefined) {
    const given = argumentOf(node, 'first');
    if (given === undefined) return Number(first.defaultValue);
    const value = given.kind === Kind.VARIABLE ? variables[given.name.value] : given.kind === Kind.INT && given.value;
    // Invalid values are refused when they are read; until then, they count as the maximum.
    const items = Number(value);
    return items >= 1 && items <= MAX_FIRST ? items : MAX_FIRST;
  }
  const longest = LONG_LISTS.get(coordinate);
  if (longest !== undefined) return longest;
  return isListType(getNullableType(field.type)) && field.name !== 'edges' ? ITEMS_PER_LIST : 1;
}

/** How many things a field is asked to change. More than the maximum are refused before anything is done for them. */
function idsIn(
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  variables: Readonly<Record<string, unknown>>,
): number {
  const ids = field.args.find((arg) => arg.name === 'ids');
  const given = argumentOf(node, 'ids');
  if (ids === undefined || given === undefined) return 0;
  if (given.kind === Kind.LIST) return Math.min(given.values.length, VIDEO_LIMITS.batch);
  if (given.kind !== Kind.VARIABLE) return 1;
  const value = variables[given.name.value];
  // It may have a default.
  if (value === undefined) return VIDEO_LIMITS.batch;
  return Array.isArray(value) ? Math.min(value.length, VIDEO_LIMITS.batch) : 1;
}

function argumentOf(node: FieldNode, name: string): ValueNode | undefined {
  return node.arguments?.find((argument) => argument.name.value === name)?.value;
}
