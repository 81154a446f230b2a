import type { CustomResourceDefinitionNames } from '@keelson/api/apiextensions/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { WorkQueue } from '@keelson/loopback'
import { acceptNames, hasRequestedNames, UsedNames } from './accept-names.ts'
import { setCondition } from '../definitions/conditions.ts'
import { createDefinitionQueue, updateStatus } from './controller.ts'
import type { DefinitionContext } from './controller.ts'
import type { FollowedDefinition } from './custom-resources.ts'

/** The names that a definition adds to the used names of its group. */
interface CountedNames {
  readonly group: string
  readonly names: DeepReadonly<CustomResourceDefinitionNames>
}

/** Names that this controller has granted and that have not come back through the watch. */
interface WrittenNames {
  readonly names: DeepReadonly<CustomResourceDefinitionNames>
  /** Revision of the definition before the write. */
  readonly after: number
}

/**
 * Starts the controller that grants names to definitions. Several definitions are processed at the same time: granted names count as used
 * from the moment at which they are computed, before they are stored.
 */
export function startNaming(context: DefinitionContext): WorkQueue {
  const { index, clock } = context
  const written = new Map<string, WrittenNames>()
  /** The used names by group. They are kept up to date, because a group may have thousands of definitions. */
  const used = new Map<string, UsedNames>()
  const counted = new Map<string, CountedNames>()
  /** Definitions that lack some of their requested names, by group. They are tried again when a name becomes free. */
  const unsettled = new Map<string, Set<string>>()

  const queue = createDefinitionQueue(context, {
    name: 'crd_naming_condition_controller',
    async sync(name) {
      const followed = index.get(name)
      // Waits for the event of an earlier write, which adds the name again if it is still unsettled.
      if (
        followed === undefined ||
        written.has(name) ||
        acceptNames(followed.outline, collectUsedNames(followed.outline.spec.group)) === undefined
      )
        return
      let granted = false
      const isDone = await updateStatus(context, name, (definition) => {
        const accepted = acceptNames(definition, collectUsedNames(definition.spec.group))
        granted = accepted !== undefined
        if (accepted === undefined) return
        definition.status!.acceptedNames = accepted.names
        setCondition(definition, 'NamesAccepted', accepted.namesAccepted, clock.now())
        setCondition(definition, 'Established', accepted.established, clock.now())
        written.set(name, { names: accepted.names, after: Number(definition.metadata.resourceVersion) })
        recount(name)
      }).catch((error: unknown) => {
        giveUp(followed.outline.spec.group, name)
        throw error
      })
      if (granted && isDone) reconsider(followed.outline.spec.group, name)
      else giveUp(followed.outline.spec.group, name)
    },
  })

  function collectUsedNames(group: string): UsedNames {
    return used.get(group) ?? new UsedNames()
  }

  /** Counts the present names of a definition instead of its earlier ones. */
  function recount(name: string): void {
    const earlier = counted.get(name)
    if (earlier !== undefined) {
      const names = collectUsedNames(earlier.group)
      names.remove(earlier.names)
      if (names.isEmpty) used.delete(earlier.group)
    }
    const outline = index.get(name)?.outline
    const names = outline && (written.get(name)?.names ?? outline.status?.acceptedNames)
    if (outline === undefined || names === undefined) return void counted.delete(name)
    const { group } = outline.spec
    const groupNames = collectUsedNames(group)
    groupNames.add(names)
    used.set(group, groupNames)
    counted.set(name, { group, names })
  }

  /** Frees names that could not be stored. */
  function giveUp(group: string, name: string): void {
    if (!written.delete(name)) return
    recount(name)
    reconsider(group, name)
  }

  function reconsider(group: string, except: string): void {
    for (const other of unsettled.get(group) ?? []) if (other !== except) queue.add(other)
  }

  function settle(group: string, name: string, isSettled: boolean): void {
    const names = unsettled.get(group) ?? new Set<string>()
    if (isSettled) names.delete(name)
    else names.add(name)
    if (names.size === 0) unsettled.delete(group)
    else unsettled.set(group, names)
  }

  index.subscribe(({ name, definition, old }) => {
    const { group } = (definition ?? old!).outline.spec
    if (definition === undefined || isNewer(definition, written.get(name))) written.delete(name)
    recount(name)
    const isSettled = definition === undefined || hasRequestedNames(definition.outline)
    settle(group, name, isSettled)
    if (!isSettled) queue.add(name)
    else if (definition === undefined) reconsider(group, name)
  })
  return queue
}

function isNewer({ stored }: FollowedDefinition, written: WrittenNames | undefined): boolean {
  return written !== undefined && stored.revision > written.after
}
