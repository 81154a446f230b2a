import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RuleIndex } from './rule-index.ts'
import { aRule, anAction, evaluateRule } from './rules.fixture.ts'

test('allows an action if one of the rules allows it', () => {
  fc.assert(
    fc.property(fc.array(aRule, { maxLength: 2 }), anAction, (rules, action) => {
      expect(new RuleIndex(rules).allows(action)).toBe(rules.some((rule) => evaluateRule(rule, action)))
    }),
    { numRuns: 5000 },
  )
})

test('allows nothing if there are no rules or the rule has no verbs', () => {
  fc.assert(
    fc.property(aRule, anAction, (rule, action) => {
      expect(new RuleIndex([]).allows(action)).toBe(false)
      expect(new RuleIndex([{ ...rule, verbs: [] }]).allows(action)).toBe(false)
      expect(new RuleIndex([{ ...rule, verbs: null }]).allows(action)).toBe(false)
    }),
  )
})
