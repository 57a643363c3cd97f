export function openApiDocument(publicUrl: string): object {
  return { openapi: '3.1.0', servers: [{ url: publicUrl }] };
}
