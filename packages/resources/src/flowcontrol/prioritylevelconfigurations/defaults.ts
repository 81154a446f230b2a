import type { PriorityLevelConfiguration } from '@keelson/api/flowcontrol/v1'

export function setPriorityLevelDefaults({ spec }: PriorityLevelConfiguration): void {
  const { limited, exempt } = spec ?? {}
  if (exempt !== undefined) {
    exempt.nominalConcurrencyShares ??= 0
    exempt.lendablePercent ??= 0
  }
  if (limited === undefined) return
  limited.nominalConcurrencyShares ??= 30
  limited.lendablePercent ??= 0
  const { queuing } = limited.limitResponse ?? {}
  if (queuing === undefined) return
  queuing.handSize ||= 8
  queuing.queues ||= 64
  queuing.queueLengthLimit ||= 50
}
