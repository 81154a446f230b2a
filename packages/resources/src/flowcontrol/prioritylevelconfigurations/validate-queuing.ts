import type { QueuingConfiguration } from '@keelson/api/flowcontrol/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'

const maxQueues = 10_000_000
/** Shuffle sharding picks a hand from the bits of a single 64-bit hash. */
const maxEntropyBits = 60

export function validateQueuing(queuing: DeepReadonly<QueuingConfiguration>, path: FieldPath): FieldErrorList {
  const { queues, handSize, queueLengthLimit } = queuing
  const errors: FieldErrorList = []
  const refuse = (member: keyof QueuingConfiguration, detail: string): void =>
    void errors.push(fieldError.invalid(path.child(member), queuing[member], detail))
  if (queueLengthLimit <= 0) refuse('queueLengthLimit', 'must be positive')
  if (queues <= 0) refuse('queues', 'must be positive')
  else if (queues > maxQueues) refuse('queues', `must not be greater than ${maxQueues}`)
  if (handSize <= 0) refuse('handSize', 'must be positive')
  else if (handSize > queues) refuse('handSize', `should not be greater than queues (${queues})`)
  else if (Math.ceil(Math.log2(queues) * handSize) > maxEntropyBits) {
    refuse('handSize', `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxEntropyBits}`)
  }
  return errors
}
