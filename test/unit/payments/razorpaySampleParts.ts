export type Json = Record<string, unknown>;

export const NO_ERROR = {
  error_code: null,
  error_description: null,
  error_source: null,
  error_step: null,
  error_reason: null,
};
export const PAYER = { email: 'gaurav.kumar@example.com', contact: '+919876543210' };

/** The envelope of every event. */
export function sampleEvent(name: string, accountId: string, createdAt: number, payload: Record<string, Json>): Json {
  return {
    entity: 'event',
    account_id: accountId,
    event: name,
    contains: Object.keys(payload),
    payload: Object.fromEntries(Object.entries(payload).map(([part, entity]) => [part, { entity }])),
    created_at: createdAt,
  };
}
