import { sendBytes } from '@keelson/exchange'
import type { CborCodec, Exchange } from '@keelson/exchange'
import { withExchange, writeError } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import { newNotAcceptable } from '@keelson/apimachinery'
import { toYaml } from '@keelson/apimachinery/yaml'
import type { Hono } from 'hono'
import type { VersionInfo } from './version.ts'

export interface ZPages {
  /** Serves `/statusz`, which has version and uptime. Default: true. */
  readonly statusz?: boolean
  /** Returns the flags of the process for `/flagz`. Default: the page does not exist. */
  readonly flagz?: (() => Readonly<Record<string, string>>) | undefined
}

export interface ZPagesOptions extends ZPages {
  readonly componentName: string
  readonly version: VersionInfo
  /** Returns the paths that the server lists at `/`. */
  readonly listPaths: () => readonly string[]
}

/** Serves kube-apiserver's debugging pages (`/statusz`, `/flagz`). Returns their paths. */
export function installZPages(app: Hono<InstallerEnv>, options: ZPagesOptions): readonly string[] {
  const { componentName, statusz = true, flagz } = options
  const installed: string[] = []
  const install = (path: string, kind: string, body: () => Body): void => {
    const title = `\n${componentName} ${path.slice(1)}\n${warning}`
    app.all(
      path,
      withExchange((exchange) => answer(exchange, kind, { componentName, title }, body())),
    )
    installed.push(path)
  }
  if (flagz !== undefined) install('/flagz', 'Flagz', () => createFlagsBody(flagz()))
  if (statusz) install('/statusz', 'Statusz', () => createStatusBody(options))
  return installed
}

const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n'

interface Body {
  readonly lines: readonly (readonly [name: string, value: string])[]
  /** Members of the document in addition to kind, version and name. */
  readonly members: Readonly<Record<string, unknown>>
}

function createFlagsBody(flags: Readonly<Record<string, string>>): Body {
  const lines = Object.entries(flags).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { lines, members: { flags: Object.fromEntries(lines) } }
}

/** Path prefixes that the pages do not link, because they are for API clients. */
const forClients = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known'])

function createStatusBody({ version, listPaths }: ZPagesOptions): Body {
  const seconds = Math.floor(process.uptime())
  const startTime = `${new Date(Date.now() - process.uptime() * 1000).toISOString().slice(0, 19)}Z`
  const padToTwo = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const uptime = `${Math.floor(seconds / 3600)} hr ${padToTwo((seconds / 60) % 60)} min ${padToTwo(seconds % 60)} sec`
  const binaryVersion = version.gitVersion.replace(/^v/, '').split(/[-+]/, 1)[0]!
  const emulationVersion = `${version.emulationMajor}.${version.emulationMinor}`
  const folders = new Set(listPaths().flatMap((path) => (path === '/' ? [] : `/${path.split('/')[1]}`)))
  const linkedFolders = [...folders].filter((path) => !forClients.has(path)).sort()
  return {
    lines: [
      ['Started', startTime],
      ['Up', uptime],
      ['Go version', version.goVersion],
      ['Binary version', binaryVersion],
      ['Emulation version', emulationVersion],
      ['Paths', linkedFolders.join(' ')],
    ],
    members: { startTime, uptimeSeconds: seconds, goVersion: version.goVersion, binaryVersion, emulationVersion, paths: linkedFolders },
  }
}

const group = 'config.k8s.io'
const structured = { json: 'application/json', yaml: 'application/yaml', cbor: 'application/cbor' } as const
type Structured = keyof typeof structured

function answer(exchange: Exchange, kind: string, { componentName, title }: { componentName: string; title: string }, body: Body): void {
  const { cbor } = exchange.services
  const form = negotiate(exchange, kind, cbor !== undefined)
  if (form === undefined) {
    const types = [structured.json, structured.yaml, ...(cbor ? [structured.cbor] : []), 'text/plain']
    return writeError(exchange, newNotAcceptable(types))
  }
  if (form === 'text') {
    const lines = body.lines.map(([name, value]) => `${name}: ${value}\n`)
    return sendBytes(exchange, 200, { 'content-type': 'text/plain; charset=utf-8' }, `${title}\n${lines.join('')}`)
  }
  const { type, version } = form
  const document = { kind, apiVersion: `${group}/${version}`, metadata: { name: componentName }, ...body.members }
  const headers: Record<string, string> = { 'content-type': `${structured[type]};g=${group};v=${version};as=${kind}` }
  if (version === 'v1alpha1') {
    headers['warning'] = `299 - "This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version."`
  }
  return sendBytes(exchange, 200, headers, encode(type, document, cbor))
}

function encode(type: Structured, document: object, cbor: CborCodec | undefined): Uint8Array | string {
  if (type === 'cbor' && cbor !== undefined) return cbor.encodeCborDocument(document)
  return type === 'yaml' ? toYaml(document) : `${JSON.stringify(document)}\n`
}

/** Selects the response format: text, unless the client requests the kind by name and version. */
function negotiate(
  { accept, acceptClauses }: Exchange,
  kind: string,
  withCbor: boolean,
): 'text' | { readonly type: Structured; readonly version: string } | undefined {
  if (accept.trim() === '') return 'text'
  for (const { type, subtype, parameters } of acceptClauses) {
    const { as, g, v = '' } = parameters
    const plain = as === undefined && g === undefined
    if (plain && ((type === '*' && subtype === '*') || (type === 'text' && (subtype === 'plain' || subtype === '*')))) return 'text'
    if (type !== 'application' || as !== kind || g !== group || (v !== 'v1alpha1' && v !== 'v1beta1')) continue
    if (subtype === 'json' || subtype === 'yaml' || (subtype === 'cbor' && withCbor)) return { type: subtype, version: v }
  }
  return undefined
}
