import type { JobSpec } from '@keelson/api/batch/v1'
import type { DeepReadonly, FieldPath } from '@keelson/apimachinery'
import { findTemplateWarnings } from '../../workloads/template-hooks.ts'

const manyCompletions = 100_000
const manyParallelPods = 10_000
const tooManyIndexesWarning =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail'

export function findJobSpecWarnings(spec: DeepReadonly<JobSpec> | undefined, path: FieldPath): string[] {
  const { completionMode, completions = 0, parallelism = 0, template } = spec ?? {}
  const isLarge = completionMode === 'Indexed' && completions > manyCompletions && parallelism > manyParallelPods
  return [...(isLarge ? [`${path}: ${tooManyIndexesWarning}`] : []), ...findTemplateWarnings(template, path.child('template'))]
}
