import { copyObject } from '@keelson/apimachinery'
import type { PriorityClass } from '@keelson/api/scheduling/v1'
import type { LoopbackClient } from '@keelson/loopback'
import { systemPriorityClasses } from '@keelson/resources'
import { createIfAbsent } from './create-if-absent.ts'

export async function createSystemPriorityClasses(client: LoopbackClient): Promise<void> {
  const resource = client.resource<PriorityClass>({ group: 'scheduling.k8s.io', resource: 'priorityclasses' })
  if (resource === undefined) return
  await Promise.all(systemPriorityClasses.map((priorityClass) => createIfAbsent(resource, '', copyObject(priorityClass))))
}
