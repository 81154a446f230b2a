import type { Server } from '@keelson/server'

interface Hook {
  readonly name: string
  readonly run: () => Promise<void>
  readonly after: readonly string[]
}

export interface HookOptions {
  /** Names of hooks that must complete first. Default: all hooks that were added earlier. */
  readonly after?: readonly string[]
}

/**
 * Hooks that run after the server starts to listen. The server is ready when all hooks have completed. If a hook fails, the start fails.
 */
export class PostStartHooks {
  readonly #hooks: Hook[] = []
  readonly #server: Pick<Server, 'addStartCheck'>

  /** Creates an empty list of hooks. */
  constructor(server: Pick<Server, 'addStartCheck'>) {
    this.#server = server
  }

  get names(): readonly string[] {
    return this.#hooks.map((hook) => hook.name)
  }

  /** Adds a hook and a health check for it. `/readyz` fails until the hook has completed. */
  add(name: string, run: () => Promise<void>, { after = this.names }: HookOptions = {}): void {
    let isDone = false
    const check = (): void => {
      if (!isDone) throw new Error('not finished')
    }
    this.#server.addStartCheck({ name: `poststarthook/${name}`, check })
    this.#hooks.push({
      name,
      after,
      run: async () => {
        await run()
        isDone = true
      },
    })
  }

  /** Runs all hooks. Each starts as soon as the hooks it depends on have completed. */
  async run(): Promise<void> {
    const runningHooks = new Map<string, Promise<void>>()
    for (const hook of this.#hooks) {
      const earlier = hook.after.flatMap((name) => runningHooks.get(name) ?? [])
      runningHooks.set(hook.name, runAfter(hook, earlier))
    }
    await Promise.all(runningHooks.values())
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
