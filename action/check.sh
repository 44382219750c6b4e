#!/usr/bin/env bash
# Runs `lariat check` for the action: the verdicts go to the log and to the summary of the job, and the page, JUnit and
# SARIF files to a folder.
set -uo pipefail

files=$RUNNER_TEMP/lariat-results
mkdir -p "$files"
mapfile -t formulas < <(grep -v '^[[:space:]]*$' <<<"$LARIAT_FORMULAS")
read -ra arguments <<<"${LARIAT_ARGUMENTS:-}"
command=(lariat check "$LARIAT_MODEL")
for file in "${formulas[@]}"; do
    command+=(-F "$file")
done
command+=(--html "$files/lariat.html" --junit "$files/lariat.xml" --sarif "$files/lariat.sarif" "${arguments[@]}")

"${command[@]}" | tee "$files/lariat.txt"
code=${PIPESTATUS[0]}

echo "exit-code=$code" >>"$GITHUB_OUTPUT"
# Wrong input leaves no files.
if [ -e "$files/lariat.sarif" ]; then
    echo "files=$files" >>"$GITHUB_OUTPUT"
fi
{
    echo "### Lariat: $LARIAT_MODEL"
    echo '```'
    cat "$files/lariat.txt"
    echo '```'
} >>"$GITHUB_STEP_SUMMARY"
exit "$code"
