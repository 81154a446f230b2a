/** A 64-bit number as four digits of 16 bits, the highest first. Divisions by a deck size are exact in this form. */
export type FlowHash = readonly [number, number, number, number]

/** Bits of the hash that a hand may use. More would make some hands up to 3:2 more frequent than others. */
const maxHashBits = 60
const maxDeckSize = 2 ** 26
const digit = 2 ** 16

/**
 * Deals hands of queues for shuffle sharding. A flow gets the same hand each time, and two flows rarely get the same hand. So a flow that fills
 * its queues leaves another flow at least one queue.
 *
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/1040-priority-and-fairness
 */
export class Dealer {
  readonly deckSize: number
  readonly handSize: number

  /** The sizes must be valid: see `validateDeck`. */
  constructor(deckSize: number, handSize: number) {
    this.deckSize = deckSize
    this.handSize = handSize
  }

  /** Returns different numbers below the deck size. */
  deal([first, second, third, fourth]: FlowHash): readonly number[] {
    const hand: number[] = []
    for (let dealt = 0; dealt < this.handSize; dealt++) {
      const size = this.deckSize - dealt
      let remainder = first % size
      first = (first - remainder) / size
      let dividend = remainder * digit + second
      remainder = dividend % size
      second = (dividend - remainder) / size
      dividend = remainder * digit + third
      remainder = dividend % size
      third = (dividend - remainder) / size
      dividend = remainder * digit + fourth
      remainder = dividend % size
      fourth = (dividend - remainder) / size
      hand.push(remainder)
    }
    // Each number is a position among the cards that remain in the deck. Backwards, so that a card still sees the positions before it.
    for (let dealt = this.handSize - 1; dealt > 0; dealt--) {
      let card = hand[dealt] as number
      for (let before = dealt - 1; before >= 0; before--) if (card >= (hand[before] as number)) card++
      hand[dealt] = card
    }
    return hand
  }
}

/** Returns an error message if hands of this size cannot be dealt from this number of queues. */
export function validateDeck(deckSize: number, handSize: number): string | undefined {
  if (deckSize <= 0 || handSize <= 0) return `deckSize ${deckSize} or handSize ${handSize} is not positive`
  if (handSize > deckSize) return `handSize ${handSize} is greater than deckSize ${deckSize}`
  if (deckSize > maxDeckSize) return `deckSize ${deckSize} is impractically large`
  if (countEntropyBits(deckSize, handSize) > maxHashBits) {
    return `required entropy bits of deckSize ${deckSize} and handSize ${handSize} is greater than ${maxHashBits}`
  }
  return undefined
}

/** Returns the number of hash bits that dealing a hand uses, rounded up. */
export function countEntropyBits(deckSize: number, handSize: number): number {
  return Math.ceil(Math.log2(deckSize) * handSize)
}
