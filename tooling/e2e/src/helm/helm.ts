import { execFile } from 'node:child_process'
import path from 'node:path'
import type { KeelsonProcess } from '../keelson-process.ts'

export interface HelmRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs Helm with a kubeconfig and otherwise empty configuration. */
export class Helm {
  readonly #binary: string
  readonly #environment: NodeJS.ProcessEnv

  constructor(binary: string, server: KeelsonProcess, home: string) {
    this.#binary = binary
    const locateInHome = (name: string): string => path.join(home, name)
    this.#environment = {
      ...process.env,
      KUBECONFIG: server.kubeconfig,
      HOME: home,
      HELM_CACHE_HOME: locateInHome('cache'),
      HELM_CONFIG_HOME: locateInHome('config'),
      HELM_DATA_HOME: locateInHome('data'),
    }
  }

  /** Runs Helm and returns its output and exit code. Never rejects. */
  try(...args: readonly string[]): Promise<HelmRun> {
    return new Promise((resolve) => {
      execFile(this.#binary, args, { env: this.#environment, maxBuffer: 64 << 20, timeout: 60_000 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr }),
      )
    })
  }

  async run(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(...args)
    if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${code}\n${stdout}${stderr}`)
    return stdout
  }

  async json<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.run(...args, '--output=json')) as T
  }
}
