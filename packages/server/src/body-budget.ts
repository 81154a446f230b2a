import type { BodyBudget, BodyReservation } from '@keelson/exchange'
import { LinkedList } from '@keelson/apimachinery'
import type { ListNode } from '@keelson/apimachinery'

/**
 * Limits the total size of request bodies in memory. Above `maxBytes`, pauses the bodies of users whose bodies take more than an equal
 * share. The oldest bodies of each user are never paused: when they complete, memory becomes free. A user whose client stops sending
 * therefore delays only that user's requests.
 */
export function createBodyBudget(maxBytes: number): BodyBudget {
  const senders = new Map<string, Sender>()
  let total = 0

  const mustWait = (body: Body): boolean => total > maxBytes && body.sender.bytes > maxBytes / senders.size && !isAmongOldest(body)

  function release(body: Body): void {
    const { sender, node } = body
    if (node?.isLinked !== true) return
    sender.bodies.remove(node)
    sender.bytes -= body.bytes
    total -= body.bytes
    if (sender.bodies.first === undefined) senders.delete(sender.user)
    for (const { bodies } of senders.values()) for (const other of bodies) if (other.wake !== undefined && !mustWait(other)) other.resume()
  }

  return {
    hold: (user) => {
      let sender = senders.get(user)
      if (sender === undefined) senders.set(user, (sender = { user, bodies: new LinkedList(), bytes: 0 }))
      const body = new Body(sender)
      body.node = sender.bodies.add(body)
      return {
        add: (bytes) => {
          if (body.node?.isLinked !== true) return undefined
          body.bytes += bytes
          body.sender.bytes += bytes
          total += bytes
          return body.wake === undefined && mustWait(body) ? body.wait() : undefined
        },
        release: () => release(body),
      } satisfies BodyReservation
    },
  }
}

/**
 * Number of bodies per user that are never paused. With only one, a single slow client would decide how fast all bodies of the user
 * progress.
 */
const neverPausedBodies = 8

function isAmongOldest({ sender, node }: Body): boolean {
  let candidate = sender.bodies.first
  for (let i = 0; i < neverPausedBodies && candidate !== undefined; i++, candidate = candidate.after) if (candidate === node) return true
  return false
}

interface Sender {
  readonly user: string
  readonly bodies: LinkedList<Body>
  bytes: number
}

class Body {
  readonly sender: Sender
  node: ListNode<Body> | undefined
  bytes = 0
  wake: (() => void) | undefined

  constructor(sender: Sender) {
    this.sender = sender
  }

  wait(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve))
  }

  resume(): void {
    const { wake } = this
    this.wake = undefined
    wake?.()
  }
}
