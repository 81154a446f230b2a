import { spawn } from 'node:child_process'
import { getErrorMessage, systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { ClientCertificate } from './client-certificate.ts'
import { checkPair } from './client-certificate.ts'

/** The member `exec` of a user in a kubeconfig. */
export interface ExecPluginConfig {
  readonly apiVersion: string
  /** Path of the program, or its name on PATH. */
  readonly command: string
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  /** A server has no terminal: `Always` fails. */
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always'
  /** Text that is added to the error if there is no such program. */
  readonly installHint: string
  /** The cluster that the program gets to know; undefined for none. */
  readonly cluster: object | undefined
}

/** Credentials of a plugin: a token, a certificate, or both. */
export interface ExecCredentials {
  readonly token: string
  readonly pair: ClientCertificate | undefined
}

const apiVersions: ReadonlySet<string> = new Set(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'])
/** Maximum time and output of a plugin. A plugin that hangs would otherwise stop all requests of its user. */
const timeoutMs = 60_000
const maxOutput = 1024 * 1024

/** Gets credentials from a program, as client-go does. They are kept until they expire or are rejected. */
export class ExecPlugin {
  readonly #config: ExecPluginConfig
  readonly #clock: Clock
  #current: { readonly credentials: ExecCredentials; readonly expiresAt: number } | undefined
  #running: Promise<ExecCredentials> | undefined

  /** Throws client-go's error if the version is unknown. */
  constructor(config: ExecPluginConfig, clock: Clock = systemClock) {
    if (!apiVersions.has(config.apiVersion)) throw new Error(`exec plugin: invalid apiVersion ${JSON.stringify(config.apiVersion)}`)
    this.#config = config
    this.#clock = clock
  }

  /** Returns the credentials. Runs the program if there are none, or if they have expired. Rejects with client-go's message. */
  get(): Promise<ExecCredentials> {
    if (this.#current !== undefined && this.#clock.now() <= this.#current.expiresAt) return Promise.resolve(this.#current.credentials)
    return this.#refresh()
  }

  /** Drops credentials that a server has rejected, unless there are newer ones. */
  reject(credentials: ExecCredentials): void {
    if (this.#current?.credentials === credentials) this.#current = undefined
  }

  #refresh(): Promise<ExecCredentials> {
    return (this.#running ??= this.#run().finally(() => (this.#running = undefined)))
  }

  async #run(): Promise<ExecCredentials> {
    try {
      const output = await runProgram(this.#config)
      const { credentials, expiresAt } = parseOutput(output, this.#config.apiVersion)
      this.#current = { credentials, expiresAt }
      return credentials
    } catch (error) {
      throw new Error(`getting credentials: ${getErrorMessage(error)}`, { cause: error })
    }
  }
}

function runProgram({ apiVersion, command, args, env, interactiveMode, installHint, cluster }: ExecPluginConfig): Promise<string> {
  if (interactiveMode === 'Always') throw new Error('exec plugin cannot support interactive mode: standard input is not a terminal')
  const spec = { interactive: false, ...(cluster !== undefined && { cluster }) }
  const environment = {
    ...process.env,
    ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify({ kind: 'ExecCredential', apiVersion, spec }),
  }
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: environment,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    const chunks: Buffer[] = []
    let size = 0
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxOutput) return void chunks.push(chunk)
      child.kill('SIGKILL')
      reject(new Error(`exec: executable ${command} wrote more than ${maxOutput} bytes`))
    })
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT' || error.code === 'EACCES'
      const hint = `${installHelp}${installHint === '' ? '' : `\n\n${installHint}`}`
      reject(new Error(isMissing ? `exec: executable ${command} not found${hint}` : `exec: ${error.message}`, { cause: error }))
    })
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'))
      else reject(new Error(`exec: executable ${command} failed with exit code ${code ?? -1}`))
    })
  })
}

const installHelp = `

It looks like you are trying to use a client-go credential plugin that is not installed.

To learn more about this feature, consult the documentation available at:
      https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins`

interface ExecCredential {
  readonly kind?: unknown
  readonly apiVersion?: unknown
  readonly status?: {
    readonly token?: unknown
    readonly clientCertificateData?: unknown
    readonly clientKeyData?: unknown
    readonly expirationTimestamp?: unknown
  } | null
}

function parseOutput(output: string, apiVersion: string): { readonly credentials: ExecCredentials; readonly expiresAt: number } {
  let value: unknown
  try {
    value = JSON.parse(output)
  } catch (error) {
    throw new Error(`decoding stdout: couldn't get version/kind; json parse error: ${getErrorMessage(error)}`, { cause: error })
  }
  if (typeof value !== 'object' || value === null) throw new Error("decoding stdout: couldn't get version/kind; json parse error")
  const { kind, apiVersion: returnedVersion, status } = value as ExecCredential
  if (typeof kind !== 'string' || kind === '') throw new Error(`decoding stdout: Object 'Kind' is missing in '${output}'`)
  if (kind !== 'ExecCredential' || !apiVersions.has(returnedVersion as string)) {
    const version = JSON.stringify(returnedVersion ?? '')
    throw new Error(`decoding stdout: no kind ${JSON.stringify(kind)} is registered for version ${version}`)
  }
  if (returnedVersion !== apiVersion) {
    throw new Error(`exec plugin is configured to use API version ${apiVersion}, plugin returned version ${String(returnedVersion)}`)
  }
  if (status === undefined || status === null) throw new Error("exec plugin didn't return a status field")
  const [token, certificate, key] = [status.token, status.clientCertificateData, status.clientKeyData].map((member) =>
    typeof member === 'string' ? member : '',
  ) as [string, string, string]
  if (token === '' && certificate === '' && key === '') throw new Error("exec plugin didn't return a token or cert/key pair")
  if ((certificate === '') !== (key === '')) throw new Error('exec plugin returned only certificate or key, not both')
  const pair = certificate === '' ? undefined : { certificate, key }
  if (pair !== undefined) {
    try {
      checkPair(pair)
    } catch (error) {
      throw new Error(`failed parsing client key/certificate: ${getErrorMessage(error)}`, { cause: error })
    }
  }
  return { credentials: { token, pair }, expiresAt: readExpiry(status.expirationTimestamp) }
}

/** Returns the time in milliseconds. Credentials without one do not expire. */
function readExpiry(timestamp: unknown): number {
  if (timestamp === undefined || timestamp === null) return Infinity
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  if (Number.isNaN(time)) throw new Error(`decoding stdout: parsing time ${JSON.stringify(timestamp)}`)
  return time
}
