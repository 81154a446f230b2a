import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LinkedList } from './linked-list.ts'
import type { ListNode } from './linked-list.ts'

test('a linked list contains the added values in order, without the removed ones', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20), { nil: undefined })), (steps) => {
      const list = new LinkedList<number>()
      const nodes: ListNode<number>[] = []
      let expected: number[] = []
      steps.forEach((leaves, step) => {
        if (leaves === undefined || nodes.length === 0) {
          nodes.push(list.add(step))
          expected.push(step)
        } else {
          const node = nodes[leaves % nodes.length]!
          list.remove(node)
          expected = expected.filter((value) => value !== node.value)
        }
        expect([...list]).toEqual(expected)
        expect(list.first?.value).toBe(expected[0])
      })
    }),
  )
})
