import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')

interface Rule {
  readonly pattern: RegExp
  /** Files that are allowed to contain the pattern. */
  readonly files: readonly string[]
}

/**
 * Patterns of code that parses requests, each with the files that are allowed to contain the pattern. All other code reads the parsed
 * values of `Exchange`.
 */
const rules: Readonly<Record<string, Rule>> = {
  "reads a request's URL": {
    pattern: /\b(?:incoming|request|req|raw)\??\.url\b(?!\s*=[^=])|\bc\.req\.(?:path|url|query|queries|param|header)\b/,
    files: ['packages/exchange/src/exchange.ts'],
  },
  'decodes a path': { pattern: /\bdecodeURI(?:Component)?\s*\(/, files: ['packages/exchange/src/request-attributes.ts'] },
  'splits off a query': {
    pattern: /\b(?:split|indexOf|lastIndexOf)\(\s*['"]\?['"]/,
    files: ['packages/exchange/src/request-attributes.ts'],
  },
  'parses a query': { pattern: /\bnew URLSearchParams\(|\.searchParams\b/, files: ['packages/exchange/src/request-attributes.ts'] },
  'interprets a URL': {
    pattern: /\bparse(?:Target|Query|RequestInfo)\(/,
    files: ['packages/exchange/src/exchange.ts', 'packages/exchange/src/request-attributes.ts'],
  },
  'reads the Accept header': {
    pattern: /\bheaders?(?:\??\.accept\b|(?:\(|\??\.?\[)\s*['"]accept['"])|\bparseAccept\(/i,
    files: ['packages/exchange/src/exchange.ts', 'packages/exchange/src/media-types.ts'],
  },
  'reads the Content-Type header': {
    pattern: /(?<!delete )\b\w*headers?(?:\(|\??\.?\[)\s*['"]content-type['"]\s*[\])](?!\s*=[^=])/i,
    files: ['packages/exchange/src/exchange.ts'],
  },
  'splits off media type parameters': { pattern: /\b(?:split|indexOf)\(\s*['"];['"]/, files: ['packages/exchange/src/media-types.ts'] },
}

/** Code that matches a pattern but does not parse requests, each with the reason. */
const exceptions: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^packages\/exchange\/src\/fetch-pair\.ts: reads a request's URL/, 'Creates the target of a request without a socket.'],
  [/^packages\/server\/src\/tls-listener\.ts: reads a request's URL/, 'Replaces a target that Node would reject.'],
  [
    /^packages\/server\/src\/(?:hono-adapter|create-server|filters\/request-log)\.ts: reads a request's URL/,
    'Passes the URL on, or logs it.',
  ],
  [/^packages\/server\/src\/filters\/filter\.ts: reads a request's URL/, "Compares the path with another app's path."],
  [/^packages\/server\/src\/filters\/request-info\.ts: interprets/, 'Calls the parser, once for each request.'],
  [/^packages\/http-installer\/src\/routing\/create-exchanges\.ts: interprets/, 'Calls the parser in apps without that filter.'],
  [/^packages\/auth\/src\/identity-headers\.ts: decodes/, 'Decodes a header name.'],
  [/^packages\/cel\/src\/functions\/parse-url\.ts: splits off/, 'Parses URLs for CEL expressions.'],
  [/^packages\/server\/src\/filters\/authorization\.ts: reads a request's URL/, 'Quotes the URL in an error message.'],
  [/^packages\/backend-etcd3\/src\/grpc-status\.ts: decodes/, 'Decodes a gRPC message.'],
  [/^packages\/core-services\/src\/kubelet\/pod-\w+\.ts: parses a query/, 'Builds a query for a kubelet.'],
  [/^packages\/testing\/src\/resource-client\.ts: parses a query/, 'Builds the query of a client.'],
  [/^packages\/api\/src\/schema\/schema-table\.ts: splits off|\/internal-form\.ts: splits off/, 'A schema.'],
  [/^packages\/control-plane\/src\/open-backends\.ts: splits off/, 'Parses a list of servers.'],
  [
    /^packages\/(?:http-installer\/src\/connect\/rewrite-html|aggregator\/src\/discovery\/[a-z-]+|outbound\/src\/review-answer|auth\/src\/webhook\/review-client)\.ts: reads the (?:Content-Type|Accept)/,
    'Reads the response of another server.',
  ],
]

function listSources(): string[] {
  return readdirSync(path.join(root, 'packages')).flatMap((name) =>
    readdirSync(path.join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.(?:test|test-d|fixture)\.ts$|(?:^|\/)(?:testing|generated)\//.test(file))
      .map((file) => `packages/${name}/src/${file}`),
  )
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, '')
}

function findStrays(file: string, source: string): string[] {
  const code = withoutComments(source)
  return Object.entries(rules)
    .filter(([, { pattern, files }]) => !files.includes(file) && pattern.test(code))
    .map(([what]) => `${file}: ${what}`)
}

const allStrays = listSources().flatMap((file) => findStrays(file, readFileSync(path.join(root, file), 'utf8')))

it('exactly one place parses a URL target, a query, an Accept header and a Content-Type header', () => {
  expect(allStrays.filter((found) => !exceptions.some(([pattern]) => pattern.test(found)))).toEqual([])
})

it('every exception is needed', () => {
  for (const [what, { pattern, files }] of Object.entries(rules))
    expect(
      files.filter((file) => pattern.test(withoutComments(readFileSync(path.join(root, file), 'utf8')))),
      what,
    ).toEqual(files)
  expect(exceptions.filter(([pattern]) => !allStrays.some((found) => pattern.test(found)))).toEqual([])
})

it.each([
  ['const question = target.indexOf("?")', 'splits off a query'],
  ["const [path, query] = url.split('?', 2)", 'splits off a query'],
  ["const target = incoming.url ?? '/'", "reads a request's URL"],
  ['const { path } = c.req.path', "reads a request's URL"],
  ['const path = decodeURIComponent(sent)', 'decodes a path'],
  ['const query = new URLSearchParams(text)', 'parses a query'],
  ["new URL(address).searchParams.get('watch')", 'parses a query'],
  ['const query = parseQuery(target.query)', 'interprets a URL'],
  ["const accept = exchange.header('accept')", 'reads the Accept header'],
  ['const { accept } = parse(incoming.headers.accept)', 'reads the Accept header'],
  ["if (incoming.headers['content-type'] === json)", 'reads the Content-Type header'],
  ["const type = exchange.header('content-type')", 'reads the Content-Type header'],
  ["const [type] = contentType.split(';')", 'splits off media type parameters'],
])('finds a planted parser: %s', (source, subject) => {
  expect(findStrays('packages/planted/src/handle.ts', source)).toEqual([`packages/planted/src/handle.ts: ${subject}`])
})

it.each(["headers['content-type'] = json", "delete headers['content-type']", "// header('accept')", "send({ 'content-type': json })"])(
  'ignores: %s',
  (source) => {
    expect(findStrays('packages/planted/src/handle.ts', source)).toEqual([])
  },
)
