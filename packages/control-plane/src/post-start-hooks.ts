import type { Server } from '@keelson/server'

/** What runs once the server listens. Readiness waits for every hook; one that fails fails the start. */
export class PostStartHooks {
  readonly #hooks: { readonly name: string; readonly run: () => Promise<void> }[] = []
  readonly #server: Server

  constructor(server: Server) {
    this.#server = server
  }

  /** Its health check is there from the start, so that `/readyz` does not pass before it has run. */
  add(name: string, run: () => Promise<void>): void {
    let done = false
    this.#server.addHealthCheck({
      name: `poststarthook/${name}`,
      check: () => {
        if (!done) throw new Error('not finished')
      },
    })
    this.#hooks.push({
      name,
      run: async () => {
        await run()
        done = true
      },
    })
  }

  /** In the order of adding. */
  async run(): Promise<void> {
    for (const { name, run } of this.#hooks) {
      try {
        await run()
      } catch (error) {
        throw new Error(`the start hook ${name} failed: ${(error as Error).message}`, { cause: error })
      }
    }
  }
}
