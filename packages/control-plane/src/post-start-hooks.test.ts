import type { Server } from '@keelson/server'
import { expect, test } from 'vitest'
import { PostStartHooks } from './post-start-hooks.ts'

interface Gate {
  readonly opened: Promise<void>
  readonly open: () => void
}

function createGate(): Gate {
  let open!: () => void
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

/** Creates a fake server that records the health checks that hooks add. */
function createFakeServer(): { readonly server: Pick<Server, 'addStartCheck'>; readonly listFailing: () => string[] } {
  const checks = new Map<string, () => unknown>()
  const server: Pick<Server, 'addStartCheck'> = { addStartCheck: ({ name, check }) => void checks.set(name, check) }
  const fails = (check: () => unknown): boolean => {
    try {
      check()
      return false
    } catch {
      return true
    }
  }
  return { server, listFailing: () => [...checks].flatMap(([name, check]) => (fails(check) ? [name] : [])) }
}

test('runs a hook after all earlier hooks, or after the hooks that it names', async () => {
  const { server, listFailing } = createFakeServer()
  const hooks = new PostStartHooks(server)
  const calls: string[] = []
  const slow = createGate()
  const record = (name: string) => async (): Promise<void> => void calls.push(name)
  hooks.add('first', record('first'))
  hooks.add('slow', () => slow.opened, { after: ['first'] })
  hooks.add('parallel', record('parallel'), { after: ['first'] })
  hooks.add('last', record('last'))
  const run = hooks.run()
  await expect.poll(() => calls).toEqual(['first', 'parallel'])
  expect(listFailing()).toEqual(['poststarthook/slow', 'poststarthook/last'])
  slow.open()
  await run
  expect(calls).toEqual(['first', 'parallel', 'last'])
  expect(listFailing()).toEqual([])
})

test('a failing hook fails the start with an error that names the hook', async () => {
  const hooks = new PostStartHooks(createFakeServer().server)
  hooks.add('wrong', async () => {
    throw new Error('no luck')
  })
  let hasRun = false
  hooks.add('next', async () => void (hasRun = true))
  await expect(hooks.run()).rejects.toThrow('the start hook wrong failed: no luck')
  expect(hasRun).toBe(false)
})
