import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { measuredOn } from '../measured-on.ts'
import type { MeasuredOn } from '../measured-on.ts'
import type { Rounds } from './item.ts'
import type { ItemResult } from './run-item.ts'

export interface Report extends MeasuredOn {
  /** What was measured, as git names it. */
  readonly revision: string
  /** Of one measurement, and how many there are of each. */
  readonly seconds: number
  readonly rounds: Rounds
  /** Items that were asked for and are not measured yet, or have to be once more. */
  readonly left: readonly string[]
  readonly items: readonly ItemResult[]
}

/** A report that grows: it is on disk after each item, so that what was measured is not lost. */
export class ReportFile {
  readonly file: string
  #report: Report

  constructor(file: string, report: Report) {
    this.file = file
    this.#report = report
  }

  static create(directory: string, options: Pick<Report, 'revision' | 'seconds' | 'rounds' | 'left'>): ReportFile {
    const report = { ...measuredOn(), ...options, items: [] }
    return new ReportFile(path.join(directory, `${report.time.replaceAll(':', '-')}.json`), report)
  }

  /** The newest that is not complete. */
  static unfinished(directory: string): ReportFile | undefined {
    const names = readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? entry.name : []))
    for (const name of names
      .filter((file) => /^\d.*\.json$/.test(file))
      .toSorted()
      .toReversed()) {
      const report: Partial<Report> = readReport(path.join(directory, name))
      // Older ones do not say.
      if (report.left !== undefined && report.left.length > 0) return new ReportFile(path.join(directory, name), report as Report)
    }
    return undefined
  }

  get report(): Report {
    return this.#report
  }

  resultOf(name: string): ItemResult | undefined {
    return this.#report.items.find((item) => item.name === name)
  }

  /** Without a result, the item cannot be measured here. With `again`, it is measured once more after all others. */
  add(name: string, result: ItemResult | undefined, again = false): void {
    const { items, left } = this.#report
    const others = left.filter((other) => other !== name)
    const at = items.findIndex((item) => item.name === name)
    this.#report = {
      ...this.#report,
      left: again ? [...others, name] : others,
      items: result === undefined ? items : at === -1 ? [...items, result] : items.with(at, result),
    }
    writeReport(this.file, this.#report)
  }
}

export function readReport(file: string): Report {
  return JSON.parse(readFileSync(file, 'utf8')) as Report
}

export function writeReport(file: string, report: Report): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(report, rounded, 1)}\n`)
}

/** Five digits say all that was measured. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value
}
