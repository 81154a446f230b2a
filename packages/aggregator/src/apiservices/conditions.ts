import type { APIService, APIServiceCondition } from '@keelson/api/apiregistration/v1'
import { formatTime } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'

/** State of the condition Available without its time. */
export interface Availability {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

export const localAvailability: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
}

export function findAvailable(apiService: DeepReadonly<APIService>): DeepReadonly<APIServiceCondition> | undefined {
  return apiService.status?.conditions?.find(({ type }) => type === 'Available')
}

/** Sets the condition Available. Its time changes only with its status. */
export function setAvailable(apiService: APIService, { status, reason, message }: Availability, now: number): void {
  const conditions = ((apiService.status ??= {}).conditions ??= [])
  const present = conditions.find(({ type }) => type === 'Available')
  if (present === undefined) {
    conditions.push({ type: 'Available', status, lastTransitionTime: formatTime(now), reason, message })
    return
  }
  if (present.status !== status) present.lastTransitionTime = formatTime(now)
  Object.assign(present, { status, reason, message })
}
