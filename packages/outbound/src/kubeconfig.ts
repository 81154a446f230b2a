import { readFile } from 'node:fs/promises'
import { X509Certificate } from 'node:crypto'
import { aggregateMessages, getErrorMessage, parsePemBlocks, systemClock } from '@keelson/apimachinery'
import type { Clock, JsonObject, JsonValue } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'
import { followPair } from './client-certificate.ts'
import type { CertificateFiles, ClientCertificate } from './client-certificate.ts'
import type { TlsSettings } from './dial-tls.ts'
import { ExecPlugin } from './exec-plugin.ts'
import type { ExecCredentials } from './exec-plugin.ts'
import { joinHostAndPort } from './failure.ts'
import { pickClusterMembers, readExec } from './kubeconfig-exec.ts'
import type { UserExecConfig } from './kubeconfig-exec.ts'
import { decode, isPresent, readText, resolvePath, toStruct } from './kubeconfig-struct.ts'
import type { Struct } from './kubeconfig-struct.ts'
import { formatOpenError } from './open-error.ts'

/** The server and the credentials of a kubeconfig's current context. */
export interface KubeconfigClient {
  readonly url: string
  readonly tls: TlsSettings
  /** Returns the current client certificate. Absent: that of `tls`. */
  readonly readCertificate?: () => Promise<ClientCertificate | undefined>
  /** Returns the HTTP headers with credentials. A token file is read again once a minute. Rejects if an exec plugin fails. */
  headers(): Promise<Readonly<Record<string, string>>>
  /** Called after a server has answered 401. An exec plugin then runs again for the next request. */
  readonly rejectCredentials?: () => void
}

export interface KubeconfigOptions {
  readonly clock?: Clock
}

/**
 * Reads the current context of a kubeconfig like client-go does for webhooks. Relative paths are resolved against the file's directory.
 * The client certificate is read again every five minutes, and CAs once. Throws an error that lists all problems.
 */
export async function readKubeconfig(file: string, { clock = systemClock }: KubeconfigOptions = {}): Promise<KubeconfigClient> {
  const config = toStruct(await parseFile(file))
  const contextName = readText(config['current-context'])
  const context = contextName === '' ? {} : find({ config, list: 'contexts', member: 'context', name: contextName, label: 'context' })
  const [userName, clusterName] = [readText(context['user']), readText(context['cluster'])]
  const user = userName === '' ? {} : find({ config, list: 'users', member: 'user', name: userName, label: 'auth info' })
  const cluster = clusterName === '' ? {} : find({ config, list: 'clusters', member: 'cluster', name: clusterName, label: 'cluster' })

  const problems: string[] = []
  const read = createReader(file, problems)
  const userTexts = await readUserCredentials(user, { file, name: userName, read, problems })
  const authorities = await readServerAuthorities(cluster, { file, name: clusterName, read, problems })
  if (problems.length === 1 && problems[0] === emptyCluster) problems[0] = emptyConfiguration
  if (problems.length > 0) throw new Error(`invalid configuration: ${aggregateMessages(problems)}`)

  const cluster64 = authorities === '' ? {} : { 'certificate-authority-data': Buffer.from(authorities).toString('base64') }
  const { tls: userTls, ...credentials } = createUserCredentials(userTexts, {
    file,
    clock,
    cluster: { ...pickClusterMembers(cluster), ...cluster64 },
  })
  if (authorities !== '') checkAuthorities(authorities)
  const tls: TlsSettings = {
    ...(authorities !== '' && { authorities }),
    ...userTls,
    ...(readText(cluster['tls-server-name']) !== '' && { serverName: readText(cluster['tls-server-name']) }),
    ...(cluster['insecure-skip-tls-verify'] === true && { insecureSkipVerify: true }),
  }
  const url = parseServerUrl(readText(cluster['server']), tls)
  // Like client-go, sends no credentials without TLS.
  return url.startsWith('https:') ? { url, tls, ...credentials } : { url, tls, headers: async () => ({}) }
}

/** The credentials of one user in a kubeconfig. */
export interface KubeconfigCredentials {
  readonly tls: Pick<TlsSettings, 'certificate' | 'key'>
  readonly readCertificate?: () => Promise<ClientCertificate | undefined>
  headers: KubeconfigClient['headers']
  readonly rejectCredentials?: () => void
}

/** The users of a kubeconfig. Their files are read when they are used. */
export interface KubeconfigUsers {
  /**
   * Returns the credentials for a server, as kube-apiserver chooses them for webhooks: the user with the name "host:port", "*.domain:port", for
   * port 443 also these names without the port, then "*", and then the user of the current context. Undefined if there is none. Rejects if a
   * file cannot be read.
   */
  find(host: string, port: number): Promise<KubeconfigCredentials | undefined>
}

/** Reads the users of a kubeconfig. Rejects if the file cannot be read or parsed. */
export async function readKubeconfigUsers(file: string, { clock = systemClock }: KubeconfigOptions = {}): Promise<KubeconfigUsers> {
  const config = toStruct(await parseFile(file))
  const list = (name: string): readonly Struct[] => (Array.isArray(config[name]) ? config[name].map(toStruct) : [])
  const users = new Map(list('users').map((entry) => [readText(entry['name']), toStruct(entry['user'])]))
  const current = list('contexts').find((entry) => readText(entry['name']) === readText(config['current-context']))
  const load = async (name: string, user: Struct, server: string): Promise<KubeconfigCredentials> => {
    const problems: string[] = []
    const texts = await readUserCredentials(user, { file, name, read: createReader(file, problems), problems })
    if (problems.length > 0) throw new Error(aggregateMessages(problems))
    return createUserCredentials(texts, { file, clock, cluster: { server } })
  }
  return {
    async find(host, port) {
      const names = [...listUserNames(joinHostAndPort({ host, port })), ...(port === 443 ? listUserNames(host) : []), '*']
      if (current !== undefined) names.push(readText(toStruct(current['context'])['user']))
      const name = names.find((each) => users.has(each))
      return name === undefined ? undefined : load(name, users.get(name)!, `https://${joinHostAndPort({ host, port })}`)
    },
  }
}

/** Returns the names under which a kubeconfig can have the user for a server: "a.b.svc", "*.b.svc", "*.svc". */
function listUserNames(target: string): string[] {
  const labels = target.split('.')
  return [target, ...labels.slice(1).map((_, i) => `*.${labels.slice(i + 1).join('.')}`)]
}

/** Returns a function that reads a file that the kubeconfig names. It returns "" and adds a problem if the file cannot be read. */
function createReader(file: string, problems: string[]): Reading['read'] {
  return async (name, description) => {
    if (name === '') return ''
    const at = resolvePath(file, name)
    try {
      return await readFile(at, 'utf8')
    } catch (error) {
      problems.push(`unable to read ${description} due to ${formatOpenError(at, error)}`)
      return ''
    }
  }
}

const emptyCluster = 'cluster has no server defined'
const emptyConfiguration = 'no configuration has been provided, try setting KUBERNETES_MASTER environment variable'

async function parseFile(file: string): Promise<JsonValue> {
  let contents: string
  try {
    contents = await readFile(file, 'utf8')
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new Error(isMissing ? `stat ${file}: no such file or directory` : formatOpenError(file, error), { cause: error })
  }
  try {
    return parseYaml(contents).value
  } catch (error) {
    throw new Error(`error loading config file ${JSON.stringify(file)}: ${getErrorMessage(error)}`, { cause: error })
  }
}

interface Lookup {
  readonly config: Struct
  readonly list: string
  readonly member: string
  readonly name: string
  readonly label: string
}

function find({ config, list, member, name, label }: Lookup): Struct {
  const entries = config[list]
  const namedEntry = Array.isArray(entries) ? entries.map(toStruct).find((entry) => entry['name'] === name) : undefined
  if (namedEntry === undefined) throw new Error(`${label} ${JSON.stringify(name)} does not exist`)
  return toStruct(namedEntry[member])
}

interface Reading {
  /** The kubeconfig. */
  readonly file: string
  readonly name: string
  readonly read: (name: string, description: string) => Promise<string>
  readonly problems: string[]
}

async function readServerAuthorities(cluster: Struct, { name, read, problems }: Reading): Promise<string> {
  if (Object.keys(cluster).length === 0) problems.push(emptyCluster)
  else if (readText(cluster['server']) === '') {
    problems.push(name === '' ? 'default cluster has no server defined' : `no server found for cluster ${JSON.stringify(name)}`)
  }
  if (readText(cluster['proxy-url']) !== '') problems.push(`proxy-url is not supported: cluster ${JSON.stringify(name)}`)
  const data = decode(cluster['certificate-authority-data'])
  const file = readText(cluster['certificate-authority'])
  if (data !== '' && file !== '') {
    problems.push(
      `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`,
    )
  }
  return data === '' ? read(file, `certificate-authority ${file} for ${name}`) : data
}

interface UserCredentials extends Credentials {
  readonly certificate: string
  readonly key: string
  /** Files of the certificate and the key, if both come from files. */
  readonly pairFiles: CertificateFiles | undefined
  readonly tokenFile: string
  readonly exec: UserExecConfig | undefined
}

interface CredentialSource {
  /** The kubeconfig. */
  readonly file: string
  readonly clock: Clock
  readonly cluster: JsonObject
}

function createUserCredentials(texts: UserCredentials, { file, clock, cluster }: CredentialSource): KubeconfigCredentials {
  const { certificate, key, pairFiles, tokenFile, exec, ...credentials } = texts
  const pair = certificate === '' ? undefined : { certificate, key }
  const createHeaders = createCredentialHeaders(credentials, { tokenFile: resolvePath(file, tokenFile), clock })
  const hasOther =
    pair !== undefined || tokenFile !== '' || [credentials.token, credentials.username, credentials.password].some((text) => text !== '')
  // Like client-go, prefers other credentials to an exec plugin.
  if (exec !== undefined && !hasOther) {
    const plugin = new ExecPlugin({ ...exec, cluster: exec.provideClusterInfo ? cluster : undefined }, clock)
    let used: ExecCredentials | undefined
    return {
      tls: {},
      readCertificate: async () => (used = await plugin.get()).pair,
      headers: async () => {
        const { token } = (used = await plugin.get())
        return { ...(await createHeaders()), ...(token !== '' && { authorization: `Bearer ${token}` }) }
      },
      rejectCredentials: () => {
        if (used !== undefined) plugin.reject(used)
      },
    }
  }
  const shared = { tls: pair ?? {}, headers: createHeaders }
  return pair === undefined || pairFiles === undefined ? shared : { ...shared, readCertificate: followPair(pairFiles, pair, clock) }
}

interface Credentials {
  readonly token: string
  readonly username: string
  readonly password: string
  readonly impersonation: Readonly<Record<string, string>>
}

async function readUserCredentials(user: Struct, { file, name, read, problems }: Reading): Promise<UserCredentials> {
  const [token, tokenFile, username, password] = ['token', 'tokenFile', 'username', 'password'].map((member) => readText(user[member]))
  const [certificateFile, keyFile] = [readText(user['client-certificate']), readText(user['client-key'])]
  const isFromFiles =
    [certificateFile, keyFile].every((each) => each !== '') &&
    [user['client-certificate-data'], user['client-key-data']].every((data) => readText(data) === '')
  let [certificate, key] = [decode(user['client-certificate-data']), decode(user['client-key-data'])]
  if (certificateFile !== '' || certificate !== '') {
    if (certificateFile !== '' && certificate !== '') {
      problems.push(`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`)
    }
    if (keyFile !== '' && key !== '') {
      problems.push(`client-key-data and client-key are both specified for ${name}; client-key-data will override`)
    }
    if (keyFile === '' && key === '') {
      problems.push(`client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`)
    }
    if (certificate === '') certificate = await read(certificateFile, `client-cert ${certificateFile} for ${name}`)
    if (key === '') key = await read(keyFile, `client-key ${keyFile} for ${name}`)
  }
  if (token !== '' && (username !== '' || password !== '')) {
    problems.push(`more than one authentication method found for ${name}; found [token basicAuth], only one is allowed`)
  }
  if (isPresent(user['auth-provider'])) problems.push(`auth-provider is not supported: user ${JSON.stringify(name)}`)
  const exec = isPresent(user['exec']) ? readExec(toStruct(user['exec']), { name, problems, file }) : undefined
  if (token === '' && tokenFile !== '') await read(tokenFile!, `tokenFile ${tokenFile} for ${name}`)
  const impersonation = createImpersonationHeaders(user)
  if (impersonation === undefined) problems.push(`requesting uid, groups or user-extra for ${name} without impersonating a user`)
  return {
    certificate,
    key,
    pairFiles: isFromFiles ? { certificateFile: resolvePath(file, certificateFile), keyFile: resolvePath(file, keyFile) } : undefined,
    exec,
    token: token!,
    tokenFile: token === '' ? tokenFile! : '',
    username: username!,
    password: password!,
    impersonation: impersonation ?? {},
  }
}

/** Returns the `Impersonate-*` headers. Returns undefined if the kubeconfig impersonates a uid, groups or extras without a user. */
function createImpersonationHeaders(user: Struct): Readonly<Record<string, string>> | undefined {
  const [name, uid] = [readText(user['as']), readText(user['as-uid'])]
  const groups = Array.isArray(user['as-groups']) ? user['as-groups'].map(readText) : []
  const extra = Object.entries(toStruct(user['as-user-extra']))
  if (name === '') return uid !== '' || groups.length > 0 || extra.length > 0 ? undefined : {}
  const headers: Record<string, string> = { 'impersonate-user': name }
  if (uid !== '') headers['impersonate-uid'] = uid
  if (groups.length > 0) headers['impersonate-group'] = groups.join(', ')
  for (const [key, values] of extra)
    headers[`impersonate-extra-${encodeURIComponent(key)}`] = (Array.isArray(values) ? values : []).map(readText).join(', ')
  return headers
}

/** Returns a function that returns the headers of the credentials. It reads the token file again once a minute. */
export function createCredentialHeaders(
  { token, username, password, impersonation }: Credentials,
  { tokenFile, clock }: { readonly tokenFile: string; readonly clock: Clock },
): KubeconfigClient['headers'] {
  let current = token
  let readAt = -Infinity
  return async () => {
    if (tokenFile !== '' && clock.now() - readAt >= 60_000) {
      readAt = clock.now()
      // If the file cannot be read, the last token stays in use.
      current = (await readFile(tokenFile, 'utf8').catch(() => current)).trim()
    }
    if (current !== '') return { ...impersonation, authorization: `Bearer ${current}` }
    if (username === '' && password === '') return impersonation
    return { ...impersonation, authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
  }
}

function parseServerUrl(server: string, tls: TlsSettings): string {
  if (/^https?:\/\//.test(server)) {
    const url = new URL(server)
    if (url.pathname.length > 1) url.search = url.hash = ''
    return url.pathname.length > 1 ? url.href : server
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(server)) throw new Error(`unsupported protocol scheme "${server.slice(0, server.indexOf(':'))}"`)
  return `${Object.keys(tls).length > 0 ? 'https' : 'http'}://${server}`
}

/** Throws client-go's error if a CA bundle has no certificate, or one that cannot be parsed. */
export function checkAuthorities(pem: string): void {
  const blocks = parsePemBlocks(pem).filter(({ label }) => label === 'CERTIFICATE')
  if (blocks.length === 0) throw new Error('unable to load root certificates: unable to parse bytes as PEM block')
  for (const { text: block } of blocks) {
    try {
      void new X509Certificate(block)
    } catch (error) {
      throw new Error('unable to load root certificates: failed to parse certificate', { cause: error })
    }
  }
}
