import type { JsonSchema } from './components.js';

/** A parameter of an operation, as OpenAPI writes it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** By a short name, such as an error's code. */
export type Examples = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { description: string; schema: JsonSchema }>>;
  readonly content?: Readonly<Record<string, { schema: JsonSchema; examples?: Examples }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** A request that the service makes, to an endpoint of its owner. */
export interface WebhookOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly [];
  readonly externalDocs: { readonly description: string; readonly url: string };
  readonly requestBody: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { schema: JsonSchema; examples: Examples }>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
    readonly contact: { readonly name: string; readonly url: string };
  };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** By the type of the event. */
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}
