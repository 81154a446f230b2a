import { expect, test } from 'vitest'
import { registryItems } from './registry-items.ts'
import { createSteps } from './steps.ts'
import { writeLoads } from './write-loads.ts'

test('each registry item has a load or a step, and each step runs', () => {
  const known = createSteps()
  const names = registryItems.map(({ name }) => name.slice('registry/'.length))
  expect(names.toSorted()).toEqual([...Object.keys(writeLoads), ...Object.keys(known)].toSorted())
  for (const { prepare, run } of Object.values(known)) run(prepare())
})
