export function referencePage(document: object): string {
  return JSON.stringify(document);
}
