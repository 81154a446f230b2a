import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { OrderedTree } from './ordered-tree.ts'
import { VersionedTree } from './versioned-tree.ts'
import type { Replay } from './versioned-tree.ts'

interface Value {
  readonly key: string
  readonly revision: number
}

/** A tree, and its changes since the revision `forgotten`. Each revision has one change. */
class Owner {
  readonly versions = new VersionedTree(new OrderedTree<Value>(), 0)
  readonly #changes: (Value | string)[] = []
  readonly #expected: string[] = ['']
  forgotten = 0

  get revision(): number {
    return this.#changes.length
  }

  /** Applies a change as a new revision. A string is a key to delete. */
  change(change: Value | string): void {
    this.#changes.push(change)
    apply(this.versions.newest, change)
    this.versions.endRevision(this.revision, 1)
    this.#expected.push(formatKeys([...this.versions.newest.snapshot().scan(fullRange)]))
  }

  readonly replay: Replay<Value> = (tree, after, until) => {
    if (after < this.forgotten) return false
    for (const change of this.#changes.slice(after, until)) apply(tree, change)
    return true
  }

  at(revision: number): string | undefined {
    const tree = this.versions.at(revision, this.replay)
    return tree && formatKeys([...tree.scan(fullRange)])
  }

  expected(revision: number): string {
    return this.#expected[revision]!
  }
}

const fullRange = { start: '', end: '\u{10ffff}' }
const formatKeys = (values: readonly Value[]): string => values.map(({ key, revision }) => `${key}@${revision}`).join(' ')
const apply = (tree: OrderedTree<Value>, change: Value | string): void => {
  if (typeof change === 'string') tree.delete(change)
  else tree.set(change)
}

function createFilledOwner(revisions: number): Owner {
  const owner = new Owner()
  for (let i = 1; i <= revisions; i++) owner.change(i % 7 === 0 ? `k${i % 5}` : { key: `k${i % 11}`, revision: i })
  return owner
}

test('every version is available as long as its changes are kept', () => {
  const owner = createFilledOwner(300)
  for (let revision = 0; revision <= 300; revision++) expect(owner.at(revision)).toBe(owner.expected(revision))
})

test('a version is unavailable if its changes were dropped, but versions from the next checkpoint on are available', () => {
  const owner = createFilledOwner(300)
  owner.forgotten = 130
  owner.versions.dropBefore(130)
  expect(owner.at(127)).toBeUndefined()
  expect(owner.at(130)).toBeUndefined()
  expect(owner.at(191)).toBeUndefined()
  for (let revision = 192; revision <= 300; revision++) expect(owner.at(revision)).toBe(owner.expected(revision))
})

test('startAt makes a version available without the changes before it', () => {
  const owner = createFilledOwner(300)
  owner.versions.startAt(130, owner.replay)
  owner.forgotten = 130
  expect(owner.at(129)).toBeUndefined()
  for (let revision = 130; revision <= 300; revision++) expect(owner.at(revision)).toBe(owner.expected(revision))
})

test('returns random versions correctly while old ones are dropped', () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('write' as const), count: fc.integer({ min: 1, max: 100 }) }),
    fc.record({ type: fc.constant('read' as const), back: fc.integer({ min: 0, max: 200 }) }),
    fc.record({ type: fc.constant('start' as const), back: fc.integer({ min: 0, max: 200 }) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const owner = new Owner()
      let oldest = 0
      for (const step of steps) {
        if (step.type === 'write') {
          for (let i = 0; i < step.count; i++) owner.change({ key: `k${(i * 7) % 13}`, revision: owner.revision })
        } else if (step.type === 'start') {
          oldest = Math.max(oldest, owner.revision - step.back)
          owner.versions.startAt(oldest, owner.replay)
          owner.forgotten = oldest
        } else {
          const revision = Math.max(0, owner.revision - step.back)
          expect(owner.at(revision)).toBe(revision < oldest ? undefined : owner.expected(revision))
        }
      }
    }),
  )
})
