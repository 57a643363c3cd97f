/** Whether a request ends with a redirect, which better-auth throws. */
export function isRedirect(thrown: Error): boolean {
  return 'status' in thrown && thrown.status === 'FOUND';
}
