import path from 'node:path'
import type { Kubectl } from '../kubectl/kubectl.ts'
import { issueCertificate } from '../operators/issue-certificate.ts'
import { OperatorProcess } from '../operators/operator-process.ts'
import { freePorts } from '../real-parts/etcd-process.ts'
import { writeKubeconfig } from '../write-kubeconfig.ts'

/** An extension API server, and what it needs in the server in front of it. */
export interface ExtensionServer {
  /** Service account of the program. The Service of its API has the name `service` in the same namespace. */
  readonly account: { readonly namespace: string; readonly name: string }
  readonly service: string
  /** Manifests that are applied before the program starts. They include the service account. */
  readonly permissions: string
  /** Additional flags. */
  readonly flags: readonly string[]
  /** Creates the manifests of its Service and its APIServices. `certificate` is in PEM. */
  readonly createRegistration: (port: number, certificate: string) => string
}

export interface ExtensionOptions {
  readonly program: string
  readonly openssl: string
  /** Directory for certificates and the kubeconfig. */
  readonly directory: string
  /** kubectl on the server in front, with the permissions of an administrator. */
  readonly kubectl: Kubectl
  /** URL of the server in front. */
  readonly frontUrl: string
}

/** The program of an extension API server behind another API server, as its service account. */
export class ExtensionProcess implements AsyncDisposable {
  readonly url: string
  readonly #program: string
  readonly #flags: readonly string[]
  #process: OperatorProcess

  private constructor(program: string, flags: readonly string[], url: string) {
    this.url = url
    this.#program = program
    this.#flags = flags
    this.#process = new OperatorProcess(program, flags)
  }

  /** Grants the permissions of the program, starts it and registers its API. */
  static async open(server: ExtensionServer, options: ExtensionOptions): Promise<ExtensionProcess> {
    const { program, openssl, directory, kubectl, frontUrl } = options
    const { account, service, permissions, flags, createRegistration } = server
    const [port = 0] = await freePorts(1)
    const certificate = await issueCertificate(openssl, directory, `DNS:${service}.${account.namespace}.svc`)
    await kubectl.run(['apply', '-f', '-'], { input: permissions })
    const token = (await kubectl.run(['create', 'token', account.name, '-n', account.namespace])).trim()
    const kubeconfig = await writeKubeconfig(path.join(directory, 'kubeconfig'), { url: frontUrl, token })
    const opened = new ExtensionProcess(
      program,
      [
        `--secure-port=${port}`,
        '--bind-address=127.0.0.1',
        `--tls-cert-file=${path.join(directory, 'tls.crt')}`,
        `--tls-private-key-file=${path.join(directory, 'tls.key')}`,
        ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${kubeconfig}`),
        ...flags,
      ],
      `https://127.0.0.1:${port}`,
    )
    await kubectl.run(['apply', '-f', '-'], { input: createRegistration(port, certificate) })
    return opened
  }

  get output(): string {
    return this.#process.output
  }

  kill(): Promise<void> {
    return this.#process.stop('SIGKILL')
  }

  /** Starts the program again after it was killed. */
  start(): void {
    this.#process = new OperatorProcess(this.#program, this.#flags)
  }

  pause(): void {
    this.#process.pause()
  }

  resume(): void {
    this.#process.resume()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }
}
