#!/usr/bin/env bash
# Which part of the teacher does what: one part changed at a time, three draws of the labels each.
#
#     benches/few_labels/ablations.sh DIR OUTFILE [SECONDS]
#
# DIR holds the binary version of CIFAR-10. OUTFILE gets a JSON line per run. Runs that it holds are not repeated, and none is
# started after SECONDS. The example is the one named by CIFAR10, else it is built:
#
#     cargo build --release -p onesided-tools --features onesided-net/cuda --bin cifar10
#
# VGG-16, 60 epochs, and the settings of docs/few-labels.md. All but the last runs learn from 40,000 training images and are
# judged on the other 10,000 (--keep-out); the last ones are the hardest row of the collective loss's paper, animals with 0.8
# of them hidden, learned from all training images and judged on the test images. The three seeds of a row train side by side
# (AT_ONCE), so their seconds are not those of a run that has the card to itself. The rows that tell the most come first.
set -euo pipefail

dir=${1:?"name the folder of CIFAR-10"}
out=${2:?"name the file for the results"}
seconds=${3:-100000}
here=$(cd "$(dirname "$0")" && pwd)
example=${CIFAR10:-$here/../../target/release/cifar10}
device=${DEVICE:-cuda}
at_once=${AT_ONCE:-3}
first=${FIRST_SEED:-300}
seeds=${SEEDS:-3}
epochs=${EPOCHS:-60}
network=${NETWORK:-vgg16}
SECONDS=0
touch "$out"

# run NAME MORE...: the runs of one row, unless all of them are in the file.
run() {
  local name=$1 there lines
  shift
  there=$(grep -cF "{\"run\":\"$name\"," "$out" || true)
  if [ "$there" -ge "$seeds" ]; then
    echo "$name: there already" >&2
    return
  fi
  if [ "$SECONDS" -ge "$seconds" ]; then
    echo "$name: no time left" >&2
    return
  fi
  echo "$name: after $SECONDS s" >&2
  # The last line sums up the others.
  if lines=$("$example" "$dir" --device "$device" --network "$network" --epochs "$epochs" --batch 512 --both-sides true \
    --seeds "$seeds" --first-seed "$first" --at-once "$at_once" "$@" 2>"$out.log"); then
    sed -n "1,${seeds}s/^{/{\"run\":\"$name\",/p" <<<"$lines" >>"$out"
  else
    echo "$name: failed" >&2
    tail -n 2 "$out.log" >&2
  fi
}

# row LABELS NAME MORE...: with so many labeled vehicles.
row() {
  local labels=$1 name=$2
  shift 2
  run "$labels labels, $name" --labels "$labels" --keep-out 10000 --positives 0.125 --rate 1e-3 "$@"
}

adamw=(--optimizer nadamw --weight-decay 1.5)
collective=(--method collective --reduction prior-weighted)

for labels in 1000 100; do
  row $labels "teacher" "${adamw[@]}" "${collective[@]}" --teacher on
  row $labels "no teacher" "${adamw[@]}" "${collective[@]}"
done
for labels in 1000 100; do
  row $labels "weak views" "${adamw[@]}" "${collective[@]}" --teacher strength=0
  row $labels "no alignment" "${adamw[@]}" "${collective[@]}" --teacher align=no
  row $labels "soft targets" "${adamw[@]}" "${collective[@]}" --teacher targets=soft
done
for labels in 1000 100; do
  row $labels "nnpu" "${adamw[@]}" --method nnpu --teacher on
  row $labels "naive" "${adamw[@]}" --method naive --teacher on
done
run "0.8 hidden, teacher" --hidden 0.8 --rate 1e-3 "${adamw[@]}" "${collective[@]}" --teacher on
run "0.8 hidden, no teacher" --hidden 0.8 --rate 1e-3 "${adamw[@]}" "${collective[@]}"
for labels in 1000 100; do
  row $labels "prior 10 % low" "${adamw[@]}" "${collective[@]}" --teacher on --prior-times 0.9
  row $labels "prior 10 % high" "${adamw[@]}" "${collective[@]}" --teacher on --prior-times 1.1
done
for labels in 1000 100; do
  row $labels "upu" "${adamw[@]}" --method upu --teacher on
  # Without a teacher, weak decay did better.
  row $labels "no teacher, nadam" --optimizer nadam --weight-decay 1e-4 "${collective[@]}"
  row $labels "nnpu, no teacher" --optimizer nadam --weight-decay 1e-4 --method nnpu
done
