import {
  getNamedType,
  isLeafType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';

import { newId } from '../../../src/domain/shared/ids.js';

/** A query, mutation or subscription, and an operation for it with arguments of the right types. */
export interface RootField {
  readonly name: string;
  readonly access: unknown;
  /** What else it needs. */
  readonly also: unknown;
  readonly operation: string;
}

export function rootFields(type: GraphQLObjectType): RootField[] {
  return Object.values(type.getFields()).map((field) => ({
    name: `${type.name}.${field.name}`,
    access: field.extensions['access'],
    also: field.extensions['also'],
    operation: `${type.name.toLowerCase()} { ${field.name}${argumentsOf(field)}${selectionOf(field)} }`,
  }));
}

/** A value of the right type for every required argument. */
function argumentsOf(field: GraphQLField<unknown, unknown>): string {
  const given = field.args
    .filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)
    .map((arg) => `${arg.name}: ${valueOf(arg)}`);
  return given.length === 0 ? '' : `(${given.join(', ')})`;
}

function valueOf(arg: GraphQLArgument): string {
  const values: Record<string, string> = {
    'ID!': `"${newId()}"`,
    '[ID!]!': `["${newId()}"]`,
    'String!': '"something"',
    '[String!]!': '["something"]',
    '[AccessTokenScope!]!': '[READ]',
    'SwitchableNotification!': 'VIDEO_READY',
    'Boolean!': 'true',
    'Int!': '1',
    'Credits!': '"1"',
    'Bucket!': arg.name === 'from' ? 'MASTER' : 'CLOUD',
    'Quality!': 'P480',
    'PaymentProviderName!': 'RAZORPAY',
    'CreateVideoInput!': '{ filename: "a.mp4", sizeBytes: 1 }',
    'BillingDetailsInput!': '{ legalName: "Something", addressLines: ["Somewhere"], country: "IN" }',
    'BrandPlacementInput!': '{ position: CENTER, widthPercent: 10, marginPercent: 2, opacityPercent: 80 }',
    'DateTime!': arg.name === 'until' ? '"2026-02-01T00:00:00Z"' : '"2026-01-31T00:00:00Z"',
    'UpdateWebhookEndpointInput!': '{ description: "b" }',
    'UpdateVideoInput!': '{ title: "b" }',
    'UploadCaptionsInput!': '{ language: "en", label: "English", text: "WEBVTT" }',
    'UpdateCaptionsInput!': '{ label: "English" }',
    '[ChapterInput!]!': '[{ startSeconds: 0, title: "Opening" }]',
    'SpendingUnit!': 'DAY',
    'AnalyticsInput!': '{ from: "2026-01-01", to: "2026-01-31" }',
    'TopVideosInput!': '{ from: "2026-01-01", to: "2026-01-31" }',
    'Day!': '"2026-01-31"',
    'TestDisputeOutcome!': 'WON',
  };
  const value = values[String(arg.type)];
  if (value === undefined) throw new Error(`no value for ${String(arg.type)}`);
  return value;
}

function selectionOf(field: GraphQLField<unknown, unknown>): string {
  return isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
}
