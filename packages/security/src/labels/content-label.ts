/** Whether somebody other than us may have written a piece of data, or steered what was written. */
export type IntegrityLabel = "trusted" | "untrusted";

/** A level of the lattice, such as `private`: how little the data may be spread. */
export type ConfidentialityLabel = string;

/**
 * What may be known of a piece of data. Labels are made by a lattice, frozen, and canonical: one object
 * for each distinct label, so that `===` compares them (`LabelLattice` says where that ends).
 */
export interface ContentLabel {
  readonly integrity: IntegrityLabel;
  readonly confidentiality: ConfidentialityLabel;
  /** Who may read it, sorted, each once. Absent: everybody. Empty: nobody. */
  readonly readers?: readonly string[];
  /** On untrusted data: how many bits an attacker can have put into it, at most. Absent: any number. */
  readonly capacity?: number;
}

/** A label as it may be written: what is missing is that of `bottom`; a word alone is an integrity. */
export type LabelInput = IntegrityLabel | Partial<ContentLabel>;
