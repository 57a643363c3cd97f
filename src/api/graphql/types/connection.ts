import { Field, ObjectType } from 'type-graphql';

@ObjectType()
export class PageInfo {
  @Field(() => Boolean)
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Always false: lists walk forwards.' })
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

/** The edge and connection types for a node type, to be extended under their own names. Lists walk forwards only. */
export function connectionOf<Node extends object>(name: string, node: () => new () => Node) {
  @ObjectType(`${name}Edge`)
  class EdgeType implements Edge<Node> {
    @Field(() => String, { description: 'Opaque; for `after`.' })
    cursor!: string;

    @Field(node)
    node!: Node;
  }

  // Never in the schema itself: only what extends it is.
  @ObjectType(`${name}ConnectionBase`)
  abstract class ConnectionBase implements Connection<Node> {
    @Field(() => [EdgeType])
    edges!: EdgeType[];

    @Field(() => PageInfo)
    pageInfo!: PageInfo;
  }
  return ConnectionBase;
}
