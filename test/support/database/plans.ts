import pg from 'pg';

import type { Sql } from '../../../src/db/sql.js';

type Value = string | number | Date | Buffer | readonly unknown[] | null;

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** What one run of a statement did. */
export interface Plan {
  /** The kinds of all nodes. */
  readonly nodes: readonly string[];
  /** The tables it read. */
  readonly tables: readonly string[];
  /** The tables that it may read whole. */
  readonly wholeTables: readonly string[];
  /** The most rows of a node. */
  readonly mostRows: number;
  /** The most rows of a table that a node reads; the entries of a bitmap of them are not rows. */
  readonly mostTableRows: number;
}

export const PLAN_MODES = ['force_custom_plan', 'force_generic_plan'] as const;

/** A statement as PostgreSQL gets it. */
export interface Asked {
  readonly text: string;
  readonly values: readonly Value[];
}

/** The statements that `work` runs, which must run some. */
export async function statementsOf(sql: Sql, work: (sql: Sql) => Promise<unknown>): Promise<Asked[]> {
  const asked: Asked[] = [];
  await work({
    query: (statement, values) => {
      asked.push({ text: statement.text, values: (values ?? []) as readonly Value[] });
      return sql.query(statement, values);
    },
  });
  if (asked.length === 0) throw new Error('no statement was run');
  return asked;
}

/** How PostgreSQL runs a prepared statement, whose effects are undone. */
export async function planOf(
  pool: pg.Pool,
  text: string,
  values: readonly Value[],
  mode: (typeof PLAN_MODES)[number],
): Promise<Plan> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`set local plan_cache_mode = ${mode}`);
    await client.query(`prepare explained as ${text}`);
    const literals = values.map((value) => (value === null ? 'null' : pg.escapeLiteral(textOf(value))));
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) execute explained ${literals.length > 0 ? `(${literals.join(', ')})` : ''}`,
    );
    const nodes = flatten(rows[0]!['QUERY PLAN'][0].Plan);
    return {
      nodes: nodes.map((node) => node['Node Type']),
      tables: nodes.flatMap((node) => (node['Actual Loops'] > 0 ? (node['Relation Name'] ?? []) : [])),
      wholeTables: nodes.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : [])),
      mostRows: mostRowsOf(nodes),
      mostTableRows: mostRowsOf(nodes.filter((node) => node['Relation Name'] !== undefined)),
    };
  } finally {
    // `explain analyze` has run the statement.
    await client.query('rollback');
    await client.query('deallocate all');
    client.release();
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    return `{${value.map((one) => (one === null ? 'null' : JSON.stringify(textOf(one)))).join(',')}}`;
  }
  if (value instanceof Date) return value.toISOString();
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value);
}

function mostRowsOf(nodes: readonly PlanNode[]): number {
  return Math.max(
    ...nodes.map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']),
  );
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
