/** A malicious request that a normal HTTP library can send. */
export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

const collection = '/api/v1/namespaces/default/configmaps'
const targets = [
  collection,
  `${collection}/a`,
  '/api/v1/namespaces/default/pods',
  '/api/v1/pods',
  '/api/v1/namespaces/default/services',
  '/apis',
]
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'QUERY']
const pathPieces = [
  '..',
  '.',
  '%2e%2e',
  '%2f',
  '%00',
  '%ff%fe',
  '%',
  '%zz',
  'api',
  'apis',
  'v1',
  'watch',
  'proxy',
  'namespaces',
  'pods',
  '~',
  '//',
  ';a=b',
  '%F0%9F%92%A9',
]
const numbers = ['0', '-1', '1e999', '99999999999999999999999', '9223372036854775808', '0x10', 'NaN', '1.5', '-0', '%D9%A3']
const contentTypes = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'text/html',
  ';;;',
]
const accepts = [
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=Nonsense;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
  '*/*;q=nonsense',
  'application/cbor',
  ',,,;;;===',
]

/** Generates a request in which the path, query, headers, body or several of these are bad. */
export function createHostileRequest(random: () => number): HostileRequest {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const body = random() < 0.6 ? createHostileBody(random, pick) : undefined
  const method = body === undefined ? pick(methods) : pick(['POST', 'PUT', 'PATCH', 'PATCH', 'DELETE'])
  const path = random() < 0.25 ? createHostilePath(random, pick) : pick(targets)
  return {
    method,
    path: random() < 0.3 ? `${path}?${createHostileQuery(random, pick)}` : path,
    headers: { ...createHostileHeaders(random, pick), ...(body === undefined ? {} : { 'content-type': body.type }) },
    body: body?.bytes,
  }
}

type Pick = <T>(from: readonly T[]) => T

function createHostilePath(random: () => number, pick: Pick): string {
  const pieces = Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(pathPieces))
  return `/${random() < 0.02 ? 'a/'.repeat(5000) : ''}${pieces.join('/')}`
}

function createHostileQuery(random: () => number, pick: Pick): string {
  switch (Math.floor(random() * 9)) {
    case 0:
      return `limit=${pick(numbers)}&continue=${Buffer.from(pick(['{"v":"meta.k8s.io/v1","rv":-1,"start":"../../x"}', 'x', '{}'])).toString('base64url')}`
    case 1:
      return `resourceVersion=${pick(numbers)}&resourceVersionMatch=${pick(['Exact', 'NotOlderThan', 'x'])}`
    case 2:
      return `labelSelector=${encodeURIComponent(pick(['a in (', '!'.repeat(2000), Array.from({ length: 500 }, (_, i) => `k${i}=v`).join(','), ',,,', 'a=b=c']))}`
    case 3:
      return `fieldSelector=${encodeURIComponent(pick(['metadata.name==a,==', 'spec.x=y', 'metadata.name'.repeat(300), '\\\\\\']))}`
    case 4:
      return `watch=1&timeoutSeconds=${pick(['-1', 'x', '1e9'])}&resourceVersion=${pick(numbers.slice(1))}`
    case 5:
      return `dryRun=${pick(['None', 'All&dryRun=All', '%00'])}&fieldManager=${'x'.repeat(200)}&fieldValidation=${pick(['Strict', 'Odd'])}`
    case 6:
      return `timeout=${pick(['1ns', '-5s', '9999999h', 'x'])}`
    case 7:
      return '%'.repeat(1 + Math.floor(random() * 50))
    default:
      return 'a&'.repeat(1 + Math.floor(random() * 3000))
  }
}

function createHostileHeaders(random: () => number, pick: Pick): Record<string, string> {
  switch (Math.floor(random() * 8)) {
    case 0:
      return { accept: pick(accepts) }
    case 1:
      return { accept: Array.from({ length: 1 + Math.floor(random() * 3000) }, (_, i) => `a/${i};q=0.${i}`).join(',') }
    case 2:
      return { 'impersonate-user': pick(['', 'system:anonymous', '\u00ff'.repeat(10)]), 'impersonate-extra-%zz': 'x' }
    case 3:
      return { 'accept-encoding': 'gzip,'.repeat(1000), range: 'bytes=0-,-1', 'if-none-match': '*' }
    case 4:
      return { authorization: pick(['Bearer', `Bearer ${'a.b.c'.repeat(1000)}`, 'Basic %%%', 'Negotiate x']) }
    case 5:
      return { 'audit-id': 'x'.repeat(Math.floor(random() * 3000)), 'user-agent': '\u00e9'.repeat(300) }
    case 6:
      return { upgrade: pick(['websocket', 'SPDY/3.1', 'h2c', 'x']), connection: 'Upgrade' }
    default:
      return {}
  }
}

interface Body {
  readonly type: string
  readonly bytes: Buffer
}

const formatConfigMap = (inner: string): string => `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"${inner}`

function createHostileBody(random: () => number, pick: Pick): Body {
  const size = 1 + Math.floor(random() ** 4 * 60_000)
  const encodeText = (type: string, written: string): Body => ({ type, bytes: Buffer.from(written) })
  switch (Math.floor(random() * 12)) {
    case 0:
      return {
        type: pick(contentTypes),
        bytes: Buffer.from(Array.from({ length: Math.min(size, 4000) }, () => Math.floor(random() * 256))),
      }
    case 1:
      return encodeText(pick(contentTypes), `${'['.repeat(size)}${random() < 0.5 ? ']'.repeat(size) : ''}`)
    case 2:
      return encodeText('application/json', formatConfigMap(`},"data":{"a":${'{"a":'.repeat(size)}1`))
    case 3:
      return encodeText('application/json', formatConfigMap(`,"generation":${pick(numbers)}${'9'.repeat(size)}}}`))
    case 4:
      return encodeText('application/yaml', createAliasBomb(2 + Math.floor(random() * 10)))
    case 5: {
      const body = formatConfigMap(',"labels":{"a":"b"}},"data":{"x":"y"}}')
      return encodeText(pick(contentTypes), body.slice(0, Math.floor(random() * body.length)))
    }
    case 6: {
      const bytes = Buffer.concat([
        Buffer.from('k8s\0'),
        Buffer.from(Array.from({ length: Math.min(size, 2000) }, () => Math.floor(random() * 256))),
      ])
      return { type: 'application/vnd.kubernetes.protobuf', bytes }
    }
    case 7: {
      const operations = Array.from({ length: Math.min(size, 2000) }, () => ({
        op: pick(['add', 'copy', 'move', 'remove', 'test', 'odd']),
        path: pick(['/data/-1', '', '/metadata/name', '/__proto__/x', '/data/~2', '/metadata/labels']),
        from: pick(['', '/metadata', '/data']),
        value: 'x',
      }))
      return encodeText('application/json-patch+json', JSON.stringify(operations))
    }
    case 8:
      return encodeText(
        pick(['application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/apply-patch+yaml']),
        JSON.stringify({
          metadata: { $patch: 'odd', '$deleteFromPrimitiveList/finalizers': [1], __proto__x: null },
          spec: { containers: [null, 1] },
        }),
      )
    case 9:
      return encodeText(
        'application/json',
        formatConfigMap(`,"annotations":{${Array.from({ length: Math.min(size, 5000) }, (_, i) => `"k${i % 7}":"${i}"`).join(',')}}}}`),
      )
    case 10:
      return encodeText(
        'application/json',
        formatConfigMap(`,"managedFields":[{"fieldsV1":{"f:${'\\u0000'.repeat(Math.min(size, 1000))}":{}}}]}}`),
      )
    default:
      return encodeText(
        'application/json',
        `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"${'../'.repeat(5)}"},"spec":{"containers":[${'{},'.repeat(Math.min(size, 3000))}{}]}}`,
      )
  }
}

/** Returns YAML with nested aliases. Each level references the previous one nine times. */
function createAliasBomb(levels: number): string {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]']
  for (let i = 1; i < levels; i++) lines.push(`a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(',')}]`)
  return `kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n${lines.join('\n')}\n`
}
