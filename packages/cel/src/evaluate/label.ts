/** A position in a program that is only known after the steps that jump to it. */
export class Label {
  position = 0
}
