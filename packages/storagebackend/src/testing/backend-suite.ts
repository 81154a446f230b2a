import { describe } from 'vitest'
import type { Backend } from '../backend.ts'
import { defineHistoryTests } from './backend-history.ts'
import { defineLeaseTests } from './backend-leases.ts'
import { defineLifecycleTests } from './backend-lifecycle.ts'
import { defineReadWriteTests } from './backend-read-write.ts'
import { defineWatchTests } from './backend-watch.ts'
import { SuiteTests, type SuiteOptions } from './skip.ts'

/** An open driver for the suite. It may contain other keys, because every test has its own prefix. */
export interface BackendUnderTest {
  readonly backend: Backend
  /** Advances the driver's clock. Absent: the suite waits in real time. */
  readonly advance?: (milliseconds: number) => void
  readonly close?: () => PromiseLike<void>
}

export interface BackendTest extends BackendUnderTest {
  /** The prefix of the test's keys. It ends with "/". */
  readonly prefix: string
  put(key: string, value?: string): Promise<number>
  delete(key: string): Promise<number>
  wait(milliseconds: number): Promise<void>
}

export type DeclareBackendTest = (name: string, run: (test: BackendTest) => Promise<void>) => void

/** Tests a driver against every rule of `backend.ts`. Call it in a vitest file. */
export function describeBackend(name: string, open: () => Promise<BackendUnderTest>, options: SuiteOptions = {}): void {
  describe(`backend ${name}`, () => {
    const tests = new SuiteTests(`backend suite on ${name}`, options)
    let number = 0
    const declare: DeclareBackendTest = (title, run) =>
      tests.test(title, async () => {
        const under = await open()
        const { backend, advance } = under
        const prefix = `/suite/${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${number++}/`
        const write = async (
          operation: { type: 'put'; key: string; value: Uint8Array } | { type: 'delete'; key: string },
        ): Promise<number> => (await backend.commit({ compare: [], operations: [operation] })).revision
        try {
          await run({
            ...under,
            prefix,
            put: (key, value = key) => write({ type: 'put', key: prefix + key, value: Buffer.from(value) }),
            delete: (key) => write({ type: 'delete', key: prefix + key }),
            async wait(milliseconds) {
              if (advance) advance(milliseconds)
              else await new Promise((resolve) => setTimeout(resolve, milliseconds))
            },
          })
        } finally {
          await (under.close ? under.close() : backend[Symbol.asyncDispose]())
        }
      })
    defineReadWriteTests(declare)
    defineHistoryTests(declare)
    defineWatchTests(declare)
    defineLeaseTests(declare)
    defineLifecycleTests(declare)
    tests.finish()
  })
}
