import { aggregateMessages } from '@keelson/apimachinery'
import { noOpinion } from './authorizer.ts'
import type { Authorizer, AuthorizerAttributes, Decision, Rules } from './authorizer.ts'

/** The empty list with which every decision starts. It is shared to avoid an allocation per request. */
const none: readonly Decision[] = []

/**
 * Creates an authorizer that asks `members` in order. The first that allows or denies decides. Otherwise the result has no opinion and
 * carries all reasons, one per line, and all errors. The server then refuses the request.
 */
export function createAuthorizerUnion(...members: readonly Authorizer[]): Authorizer {
  function step(index: number, attributes: AuthorizerAttributes, undecided: readonly Decision[]): Decision | Promise<Decision> {
    let collected = undecided
    for (let i = index; i < members.length; i++) {
      const decision = members[i]!.authorize(attributes)
      if (decision instanceof Promise) return decision.then((d) => (isFinal(d) ? d : step(i + 1, attributes, withOpinion(collected, d))))
      if (isFinal(decision)) return decision
      collected = withOpinion(collected, decision)
    }
    return collected.length === 0 ? noOpinion : joinOpinions(collected)
  }
  return {
    authorize: (attributes) => step(0, attributes, none),
    // If a member cannot list its rules, the result is incomplete: that member may deny what the others allow.
    rulesFor: async (user, namespace) => joinRules(await Promise.all(members.map(async (member) => member.rulesFor?.(user, namespace)))),
  }
}

function joinRules(answers: readonly (Rules | undefined)[]): Rules {
  const definite = answers.filter((answer) => answer !== undefined)
  const errors = definite.flatMap(({ error }) => error ?? [])
  if (definite.length < answers.length) errors.push('the authorizer does not support user rule resolution')
  return {
    resourceRules: definite.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: definite.flatMap(({ nonResourceRules }) => nonResourceRules),
    incomplete: definite.length < answers.length || definite.some(({ incomplete }) => incomplete),
    ...(errors.length > 0 && { error: aggregateMessages(errors) }),
  }
}

function isFinal(decision: Decision): boolean {
  return decision.decision !== 'noOpinion'
}

/** Appends a decision that has a reason or an error. Returns the same list for others, which are the majority, to avoid an allocation. */
function withOpinion(undecided: readonly Decision[], decision: Decision): readonly Decision[] {
  return decision.reason === '' && decision.error === undefined ? undecided : [...undecided, decision]
}

function joinOpinions(undecided: readonly Decision[]): Decision {
  const reason = undecided.flatMap((decision) => decision.reason || []).join('\n')
  const errors = undecided.flatMap(({ error }) => error ?? [])
  return { decision: 'noOpinion', reason, ...(errors.length > 0 && { error: aggregateMessages(errors) }) }
}
