import { Field, ObjectType } from 'type-graphql';

@ObjectType()
export class PageInfo {
  @Field(() => Boolean)
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Always false: lists only go forward.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true })
  startCursor!: string | null;

  @Field(() => String, { nullable: true })
  endCursor!: string | null;
}

export interface Edge<Node> {
  cursor: string;
  node: Node;
}

export interface Connection<Node> {
  edges: Edge<Node>[];
  pageInfo: PageInfo;
}

/**
 * Base classes of the edge and connection types for a node type. Extend them under their own names. Lists can only be
 * read forwards.
 */
export function connectionOf<Node extends object>(name: string, node: () => new () => Node) {
  @ObjectType(`${name}Edge`)
  class EdgeType implements Edge<Node> {
    @Field(() => String, { description: 'Opaque; for `after`.' })
    cursor!: string;

    @Field(node)
    node!: Node;
  }

  // Only the types that extend this one are in the schema.
  @ObjectType(`${name}ConnectionBase`)
  abstract class ConnectionBase implements Connection<Node> {
    @Field(() => [EdgeType])
    edges!: EdgeType[];

    @Field(() => PageInfo)
    pageInfo!: PageInfo;
  }
  return ConnectionBase;
}
