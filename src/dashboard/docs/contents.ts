export interface Chapter {
  readonly id: string;
  readonly title: string;
}

/** The chapters in order. Ids are addresses that others link to, so they must not change. */
export const CHAPTERS = [
  { id: 'getting-started', title: 'Getting started' },
  { id: 'api', title: 'The /v1 API' },
  { id: 'player', title: 'The player' },
  { id: 'pictures', title: 'Posters and receipts' },
  { id: 'money', title: 'Money' },
  { id: 'webhooks', title: 'Payment webhooks' },
  { id: 'errors', title: 'Error codes' },
] as const satisfies readonly Chapter[];
