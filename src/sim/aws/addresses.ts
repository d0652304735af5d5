import { addressOf, addressText, type Cidr, cidrText, sizeOf } from '../../domain/network/cidr.ts';
import { PREFIX_ADDRESSES } from '../../capacity/eni.ts';
import type { RandomStream } from '../kernel/random.ts';

/** EC2 keeps the first four addresses of a subnet and its last one (Amazon VPC user guide). */
const RESERVED_FIRST = 4;
/** Tries by chance before the free places are counted out. */
const DRAWS = 8;

/** Which addresses of one subnet are in use. */
export class AddressBook {
  readonly #block: Cidr;
  readonly #taken: Uint8Array;
  #free: number;

  constructor(block: Cidr) {
    this.#block = block;
    const size = sizeOf(block);
    this.#taken = new Uint8Array(size);
    this.#taken.fill(1, 0, RESERVED_FIRST);
    this.#taken[size - 1] = 1;
    this.#free = size - RESERVED_FIRST - 1;
  }

  /** The `AvailableIpAddressCount` of DescribeSubnets. */
  get free(): number {
    return this.#free;
  }

  has(address: string): boolean {
    return this.#placeOf(address) !== null;
  }

  isFree(address: string): boolean {
    const place = this.#placeOf(address);
    return place !== null && this.#taken[place] === 0;
  }

  /** Takes this address; false when it is none of the subnet's or is in use. */
  take(address: string): boolean {
    const place = this.#placeOf(address);
    if (place === null || this.#taken[place] === 1) return false;
    this.#mark(place, 1, 1);
    return true;
  }

  /** Takes any free address, as EC2 does without order; null when the subnet is full. */
  takeAny(random: RandomStream): string | null {
    if (this.#free === 0) return null;
    const place = this.#freePlace(random);
    this.#mark(place, 1, 1);
    return addressText(this.#block.first + place);
  }

  /** Takes 16 addresses in a row that begin at a multiple of 16; null when there are none. */
  takePrefix(random: RandomStream): string | null {
    const blocks = this.#taken.length / PREFIX_ADDRESSES;
    const start = random.below(blocks);
    for (let step = 0; step < blocks; step++) {
      const place = ((start + step) % blocks) * PREFIX_ADDRESSES;
      if (!this.#isFreeBlock(place)) continue;
      this.#mark(place, PREFIX_ADDRESSES, 1);
      return cidrText({ first: this.#block.first + place, prefixLength: 28 });
    }
    return null;
  }

  release(address: string): void {
    const place = this.#placeOf(address);
    if (place !== null && this.#taken[place] === 1) this.#mark(place, 1, 0);
  }

  releasePrefix(prefix: string): void {
    const place = this.#placeOf(prefix.slice(0, prefix.indexOf('/')));
    if (place !== null) this.#mark(place, PREFIX_ADDRESSES, 0);
  }

  #freePlace(random: RandomStream): number {
    for (let draw = 0; draw < DRAWS; draw++) {
      const place = random.below(this.#taken.length);
      if (this.#taken[place] === 0) return place;
    }
    return this.#taken.indexOf(0);
  }

  #isFreeBlock(place: number): boolean {
    return this.#taken.subarray(place, place + PREFIX_ADDRESSES).every((one) => one === 0);
  }

  #mark(place: number, count: number, taken: 0 | 1): void {
    this.#taken.fill(taken, place, place + count);
    this.#free += taken === 1 ? -count : count;
  }

  #placeOf(address: string): number | null {
    const number = addressOf(address);
    if (number === null) return null;
    const place = number - this.#block.first;
    return place >= 0 && place < this.#taken.length ? place : null;
  }
}
