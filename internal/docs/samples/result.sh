# KEY='typ_live_…' sh result.sh
answer=$(curl -sS --fail-with-body 'https://typus.example.com/api/v1/candidates/crm-42?include=extra' \
  -H "Authorization: Bearer $KEY") || { echo "$answer"; exit 1; }
case $answer in
  *'"scores":null'*) echo 'The test is not finished yet.' ;;
  *'"key":"response_quality_doubtful"'*) echo 'No reliable picture: show no figures, talk to the person.' ;;
  *) echo "$answer" ;;
esac
