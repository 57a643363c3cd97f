import { escapeHtml } from '../../../escapeHtml.js';
import { inline, prose } from './html.js';
import type { OpenApiDocument, Operation, Parameter } from './openapiTypes.js';
import { KEY_FIELD, requestForm } from './requestForm.js';
import { schemaTable, typeOf } from './schemaTable.js';
import { STYLE } from './style.js';

/**
 * The whole reference as one page. It can be read without its script (`sendRequests.mjs`), which shows the forms that
 * send requests.
 */
export function referencePage(document: OpenApiDocument): string {
  const server = document.servers[0]?.url ?? '';
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const models = Object.entries(document.components.schemas).filter(([name]) => !/(?:Response|List)$/.test(name));
  const links = operations.map(({ method, operation }) => navLink(operation.operationId, method, operation.summary));
  const modelLinks = models.map(([name]) => `<li><a href="#${name}">${name}</a></li>`);

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(document.info.title)} reference</title>
<style>${STYLE}</style>
<script type="module" src="/docs/api.js"></script>
</head>
<body>
<a class="skip" href="#reference">Skip to the reference</a>
<header><h1>${escapeHtml(document.info.title)}</h1><a href="/openapi.json">openapi.json</a></header>
<div class="columns">
<nav aria-label="Contents"><h2>Endpoints</h2><ul>${links.join('')}</ul><h2>Objects</h2><ul>${modelLinks.join('')}</ul></nav>
<main id="reference">
<section>${prose(document.info.description)}</section>
${KEY_FIELD}
${operations.map((entry) => operationSection({ ...entry, server, document })).join('\n')}
<h2 class="part">Objects</h2>
${models.map(([name, schema]) => `<section id="${name}"><h3>${name}</h3>${schemaTable(schema, document.components.schemas)}</section>`).join('\n')}
</main>
</div>
</body>
</html>
`;
}

function navLink(id: string, method: string, summary: string): string {
  return `<li><a href="#${id}"><b class="${method}">${method}</b> ${escapeHtml(summary)}</a></li>`;
}

interface Section {
  path: string;
  method: string;
  operation: Operation;
  server: string;
  document: OpenApiDocument;
}

function operationSection({ path, method, operation, server, document }: Section): string {
  const done = operation.responses['200']?.content?.['application/json']?.schema ?? {};
  return `<section id="${operation.operationId}">
<h2>${escapeHtml(operation.summary)}</h2>
<p class="path"><b class="${method}">${method}</b> <code>${escapeHtml(path)}</code></p>
${prose(operation.description)}
<pre tabindex="0" aria-label="Example">${escapeHtml(exampleOf(path, method, operation, server))}</pre>
${parameterTable(operation.parameters)}
${requestForm(path, method, operation)}
<h3>Response</h3>
${schemaTable(done, document.components.schemas)}
<h3>Statuses</h3>
<dl>${Object.entries(operation.responses)
    .map(([status, response]) => `<dt>${status}</dt><dd>${inline(response.description)}</dd>`)
    .join('')}</dl>
</section>`;
}

function exampleOf(path: string, method: string, operation: Operation, server: string): string {
  const address = `${server}${path.replace('{videoId}', 'vid_…').replace('{token}', '$TOKEN')}`;
  const key = operation.security.length > 0 ? ` \\\n  -H "x-service-key: $DHARA_KEY"` : '';
  return `curl ${method === 'GET' ? '' : `-X ${method} `}"${address}"${key}`;
}

function parameterTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map((parameter) => {
    const fallback = parameter.schema['default'];
    const meaning = inline(parameter.description ?? '');
    const shown =
      typeof fallback === 'string' || typeof fallback === 'number' ? `. Default <code>${fallback}</code>` : '';
    return `<tr><td><code>${parameter.name}</code></td><td>${typeOf(parameter.schema)}</td><td>${meaning}${shown}</td></tr>`;
  });
  return `<h3>Parameters</h3><div class="scroll" tabindex="0" role="group" aria-label="Parameters"><table><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></div>`;
}
