import type { Server } from '@keelson/server'

interface Hook {
  readonly name: string
  readonly run: () => Promise<void>
  readonly after: readonly string[]
}

export interface HookOptions {
  /** Names of hooks that must have run before. Default: all that were added earlier. */
  readonly after?: readonly string[]
}

/** What runs once the server listens. Readiness waits for every hook; one that fails fails the start. */
export class PostStartHooks {
  readonly #hooks: Hook[] = []
  readonly #server: Server
  readonly #livezFrom: number
  readonly #now: () => number

  /** Until `livezGraceMs` have passed `/livez` takes it that every hook will do what it should. */
  constructor(server: Server, livezGraceMs = 0, now: () => number = () => performance.now()) {
    this.#server = server
    this.#now = now
    this.#livezFrom = now() + livezGraceMs
  }

  get names(): readonly string[] {
    return this.#hooks.map((hook) => hook.name)
  }

  /** Its health check is there from the start, so that `/readyz` does not pass before it has run. */
  add(name: string, run: () => Promise<void>, { after = this.names }: HookOptions = {}): void {
    let done = false
    const check = (): void => {
      if (!done) throw new Error('not finished')
    }
    const checkLater = (): void => {
      if (this.#now() >= this.#livezFrom) check()
    }
    this.#server.addHealthCheck({ name: `poststarthook/${name}`, check }, ['healthz', 'readyz'])
    this.#server.addHealthCheck({ name: `poststarthook/${name}`, check: checkLater }, ['livez'])
    this.#hooks.push({
      name,
      after,
      run: async () => {
        await run()
        done = true
      },
    })
  }

  /** Each as soon as those that it waits for are done. */
  async run(): Promise<void> {
    const running = new Map<string, Promise<void>>()
    for (const hook of this.#hooks) {
      const earlier = hook.after.flatMap((name) => running.get(name) ?? [])
      running.set(hook.name, runAfter(hook, earlier))
    }
    await Promise.all(running.values())
  }
}

async function runAfter({ name, run }: Hook, earlier: readonly Promise<void>[]): Promise<void> {
  await Promise.all(earlier)
  try {
    await run()
  } catch (error) {
    throw new Error(`the start hook ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}
