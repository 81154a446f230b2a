import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countEntropyBits, Dealer, validateDeck } from './dealer.ts'
import type { FlowHash } from './dealer.ts'
import { hashFlow } from './flow.ts'

function splitHash(hash: bigint): FlowHash {
  return [48n, 32n, 16n, 0n].map((shift) => Number((hash >> shift) & 0xffffn)) as unknown as FlowHash
}

/** Deals a hand with the arithmetic of 64-bit integers, from a deck that is really there. */
function dealSlowly(deckSize: number, handSize: number, hash: bigint): number[] {
  const deck = Array.from({ length: deckSize }, (_, card) => card)
  let remaining = hash
  return Array.from({ length: handSize }, () => {
    const position = Number(remaining % BigInt(deck.length))
    remaining /= BigInt(deck.length)
    return deck.splice(position, 1)[0] as number
  })
}

const decks = [
  [1, 1],
  [4, 4],
  [8, 8],
  [10, 10],
  [12, 12],
  [50, 4],
  [64, 6],
  [128, 8],
  [256, 7],
  [512, 6],
  [1024, 6],
] as const

describe.each(decks)('a deck of %i and a hand of %i', (deckSize, handSize) => {
  test('deals different cards, each of those that remain with the same weight', () => {
    const dealer = new Dealer(deckSize, handSize)
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (hash) => {
        const hand = dealer.deal(splitHash(hash))
        expect(hand).toEqual(dealSlowly(deckSize, handSize, hash))
        expect(new Set(hand).size).toBe(handSize)
      }),
    )
  })
})

test('is exact for the largest deck', () => {
  const dealer = new Dealer(2 ** 26, 2)
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (hash) => {
      const first = Number(hash % 2n ** 26n)
      const second = Number((hash / 2n ** 26n) % (2n ** 26n - 1n))
      expect(dealer.deal(splitHash(hash))).toEqual([first, second >= first ? second + 1 : second])
    }),
  )
})

test.each([
  [64, 3, 2 ** 19],
  [40, 3, 40 * 39 * 38],
  [20, 4, 20 * 19 * 18 * 17],
])('deals all hands of a deck of %i and a hand of %i equally often', { timeout: 60_000 }, (deckSize, handSize, hashes) => {
  const dealer = new Dealer(deckSize, handSize)
  const counts = new Map<number, number>()
  for (let hash = 0; hash < hashes; hash++) {
    let code = 0
    for (const card of dealer.deal([0, 0, Math.floor(hash / 65_536), hash % 65_536]).toSorted((a, b) => a - b)) code = code * 128 + card
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  const orders = Array.from({ length: handSize }, (_, index) => index + 1).reduce((product, factor) => product * factor, 1)
  const hands = Array.from({ length: handSize }, (_, index) => deckSize - index).reduce((product, factor) => product * factor, 1)
  expect(counts.size).toBe(hands / orders)
  const unexpected = [...counts.values()].filter(
    (count) => count < orders * Math.floor(hashes / hands) || count > orders * Math.ceil(hashes / hands),
  )
  expect(unexpected).toEqual([])
})

test('counts the bits of the hash that a hand needs', () => {
  expect([countEntropyBits(1024, 6), countEntropyBits(512, 8), countEntropyBits(64, 6)]).toEqual([60, 72, 36])
})

test.each([
  [-100, 8, 'deckSize -100 or handSize 8 is not positive'],
  [100, 0, 'deckSize 100 or handSize 0 is not positive'],
  [100, 101, 'handSize 101 is greater than deckSize 100'],
  [2 ** 27, 2, 'deckSize 134217728 is impractically large'],
  [512, 8, 'required entropy bits of deckSize 512 and handSize 8 is greater than 60'],
  [1024, 6, undefined],
])('validates a deck of %i and a hand of %i', (deckSize, handSize, message) => {
  expect(validateDeck(deckSize, handSize)).toBe(message)
})

test('hashes flows like kube-apiserver', () => {
  // printf 'global-default\0alice' | sha256sum: the first 8 bytes are a little-endian number.
  expect(hashFlow('global-default', 'alice')).toEqual(splitHash(0xf4de3bd42ccdf6b7n))
})
